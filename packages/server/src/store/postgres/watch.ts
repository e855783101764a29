import type { StorageState } from '../database.ts'

const PROBE_EVERY_MS = 500
const LOOK_EVERY_MS = 2000

type Deps = {
  /** Reads something, and says whether the server only reads. */
  read: () => Promise<{ isReadOnly: boolean }>
  /** Writes something. */
  write: () => Promise<void>
  /** Called when it can be written again. */
  onBack: () => void
}

/**
 * Knows whether the server answers and can be written. While it cannot, it is asked again whenever somebody wants to know, and nobody has to
 * wait for the answer: writes are refused at once.
 */
export function createWatch({ read, write, onBack }: Deps) {
  const lost = { reads: false, writes: false }
  let isReadOnly = false
  const askToRead = createAsk(async () => {
    ;({ isReadOnly } = await read())
  })
  const askToWrite = createAsk(async () => {
    await write()
    lost.writes = false
    if (!lost.reads) onBack()
  })

  /** To a read. An answer to a write says it as well. */
  function answered(): void {
    if (lost.reads && !lost.writes) onBack()
    lost.reads = false
  }

  function state(): StorageState {
    askToRead(lost.reads ? PROBE_EVERY_MS : LOOK_EVERY_MS)
    if (lost.writes) askToWrite(PROBE_EVERY_MS)
    if (lost.reads) return 'unusable'
    return lost.writes || isReadOnly ? 'read_only' : 'ok'
  }

  /** Whether a write would only wait for a server that does not answer. */
  function refusesWrites(): boolean {
    if (lost.writes) askToWrite(PROBE_EVERY_MS)
    return lost.writes
  }

  return {
    state,
    reads: { answered, lost: () => void (lost.reads = true) },
    writes: { answered, lost: () => void (lost.writes = true), refusesWrites },
  }
}

/** Asks one at a time, and not more often than it is told. */
function createAsk(ask: () => Promise<void>): (everyMs: number) => void {
  let isAsking = false
  let askedAt = Number.NEGATIVE_INFINITY
  return (everyMs) => {
    if (isAsking || performance.now() - askedAt < everyMs) return
    isAsking = true
    ask()
      .catch(() => undefined) // the next one asks again
      .finally(() => {
        isAsking = false
        askedAt = performance.now()
      })
  }
}
