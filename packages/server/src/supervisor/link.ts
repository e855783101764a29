import { setTimeout as sleep } from 'node:timers/promises'
import type { FromServer, ToServer, Wanted } from './server-child.ts'

/** Longer than the supervisor waits for a version to load. An older supervisor does not answer at all. */
const LOAD_WITHIN_MS = 25_000

/** The server's end of the connection to its supervisor; undefined if it was started without one. */
export function createSupervisorLink() {
  if (process.send === undefined) return undefined
  const tell = (message: FromServer) => void (process.connected && process.send?.(message, undefined, undefined, () => undefined))
  const received = async (type: ToServer['type']) =>
    await new Promise<void>((resolve) => {
      const listener = (message: ToServer) => {
        if (message.type !== type) return
        process.off('message', listener)
        resolve()
      }
      process.on('message', listener)
    })

  /** Lets the supervisor load the next version while this one still serves. If that fails, it is loaded after this one has ended. */
  async function loadNext(wanted: Wanted, signal: AbortSignal): Promise<void> {
    const loaded = received('next_loaded')
    tell({ type: 'load', ...wanted })
    await Promise.race([loaded, sleep(LOAD_WITHIN_MS, undefined, { signal, ref: false })])
  }

  /** For a version that was loaded in advance: it opens nothing until the supervisor lets it begin. */
  async function waitForBegin(): Promise<void> {
    const exit = () => process.exit(0)
    process.once('disconnect', exit)
    const begin = received('begin')
    tell({ type: 'loaded' })
    await begin
    process.off('disconnect', exit)
  }

  return {
    tell,
    loadNext,
    waitForBegin,
    onUpdateOver: (listener: () => void) => void received('update_over').then(listener),
    /** A server whose supervisor has ended must end too: the next server could not start beside it. */
    onSupervisorGone: (listener: () => void) => void (process.connected ? process.once('disconnect', listener) : listener()),
  }
}
