import type { FromServer, ToServer } from './server-child.ts'

/** The server's end of the connection to its supervisor; undefined if it was started without one. */
export function createSupervisorLink() {
  if (process.send === undefined) return undefined
  return {
    tell: (message: FromServer) => void (process.connected && process.send?.(message, undefined, undefined, () => undefined)),
    onOver: (listener: () => void) => process.on('message', (message: ToServer) => message.type === 'update_over' && listener()),
    /** A server without its supervisor would stand in the way of the next one. */
    onGone: (listener: () => void) => void (process.connected ? process.once('disconnect', listener) : listener()),
  }
}
