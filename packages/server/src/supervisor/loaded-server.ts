import { setTimeout as sleep } from 'node:timers/promises'
import type { ServerChild, Wanted } from './server-child.ts'

const LOAD_WITHIN_MS = 20_000

/**
 * The server of the next version, which has loaded its code and waits: a switch does not have to wait for that. Until it is told to begin
 * it opens nothing, so there is never a second one at the data.
 */
export function createLoadedServer(start: (wanted: Wanted) => ServerChild) {
  let waiting: { wanted: Wanted; server: ServerChild } | undefined

  /** Ends when it waits, or could not be loaded. */
  async function load(wanted: Wanted): Promise<void> {
    if (waiting && !isSame(waiting.wanted, wanted)) forget()
    try {
      const { server } = (waiting ??= { wanted, server: start(wanted) })
      await isLoaded(server)
    } catch {
      // no process could be made, for want of memory perhaps: it is tried again when it is needed
    }
  }

  /** Lets it begin. Undefined if there is none, or it has ended: then one that is started as usual shows why. */
  async function take(wanted: Wanted): Promise<ServerChild | undefined> {
    if (waiting && !isSame(waiting.wanted, wanted)) forget()
    if (!waiting) return undefined
    const { server } = waiting
    waiting = undefined
    if (await isLoaded(server)) {
      server.send({ type: 'begin' })
      return server
    }
    await server.stop()
    return undefined
  }

  function forget(): void {
    void waiting?.server.stop()
    waiting = undefined
  }

  return { load, take, forget }
}

export type LoadedServer = ReturnType<typeof createLoadedServer>

function isSame(one: Wanted, other: Wanted): boolean {
  return one.version === other.version && one.mode === other.mode
}

/** One that was loaded and has ended since does not count. */
async function isLoaded({ exited, loaded }: ServerChild): Promise<boolean> {
  const over = new AbortController()
  const tooLate = sleep(LOAD_WITHIN_MS, false, { signal: over.signal }).catch(() => false)
  try {
    return await Promise.race([exited.then(() => false), loaded.then(() => true), tooLate])
  } finally {
    over.abort()
  }
}
