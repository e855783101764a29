import { setTimeout as sleep } from 'node:timers/promises'
import type { FromServer, ToServer, Wanted } from './server-child.ts'

/** Longer than the supervisor waits for a version to load. An old supervisor never says that it has. */
const LOAD_WITHIN_MS = 25_000

/** The server's end of the connection to its supervisor; undefined if it was started without one. */
export function createSupervisorLink() {
  if (process.send === undefined) return undefined
  const tell = (message: FromServer) => void (process.connected && process.send?.(message, undefined, undefined, () => undefined))
  const said = async (type: ToServer['type']) =>
    await new Promise<void>((resolve) => {
      const listener = (message: ToServer) => {
        if (message.type !== type) return
        process.off('message', listener)
        resolve()
      }
      process.on('message', listener)
    })

  /** Has the next version loaded while this one still serves. If that fails it is loaded after this one has left. */
  async function loadNext(wanted: Wanted, signal: AbortSignal): Promise<void> {
    const isLoaded = said('next_loaded')
    tell({ type: 'load', ...wanted })
    await Promise.race([isLoaded, sleep(LOAD_WITHIN_MS, undefined, { signal, ref: false })])
  }

  /** For a version that was loaded before its turn: until then it opens nothing. */
  async function untilTold(): Promise<void> {
    const leave = () => process.exit(0)
    process.once('disconnect', leave)
    const isTold = said('begin')
    tell({ type: 'loaded' })
    await isTold
    process.off('disconnect', leave)
  }

  return {
    tell,
    loadNext,
    untilTold,
    onOver: (listener: () => void) => void said('update_over').then(listener),
    /** A server without its supervisor would stand in the way of the next one. */
    onGone: (listener: () => void) => void (process.connected ? process.once('disconnect', listener) : listener()),
  }
}
