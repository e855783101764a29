import { setTimeout as sleep } from 'node:timers/promises'
import { EngineError, PullTooSlow } from './api/errors.ts'
import { count, field, jsonLines, text } from './api/json.ts'
import type { Transport } from './api/transport.ts'
import { type Downloads, PullHeldUp } from './downloads/downloads.ts'
import type { LayerState } from './downloads/rules.ts'
import { authHeader, type RegistryCredentials } from './registry.ts'

export type PullOptions = {
  readonly signal: AbortSignal
  readonly platform?: string | undefined
  /** For its registry. */
  readonly credentials?: RegistryCredentials | undefined
  onLine(line: string): void
  /** Called when data arrived, even without a new line. */
  onActivity?(): void
}

/** A pull that a slow one held up is tried again: so often, and after this time, in which the engine lets go of the slow one. */
const MOST_TRIES = 3
const AGAIN_MS = 1000
/** The beginning of its digest. Other messages have a tag there. */
const LAYER = /^[0-9a-f]{12}$/
/** What the engine says about a layer. It says nothing of one for which a registry does not answer. */
const STATES: Readonly<Record<string, LayerState>> = {
  Waiting: 'waiting',
  Downloading: 'arriving',
  Extracting: 'local',
  'Verifying Checksum': 'here',
  'Download complete': 'here',
  'Pull complete': 'here',
  'Already exists': 'here',
}

export function createPull({ transport, downloads }: { transport: Transport; downloads: Downloads }) {
  async function pullOnce(reference: string, options: PullOptions): Promise<void> {
    const query = { fromImage: reference, platform: options.platform, ...(/@|:[^/:]+$/.test(reference) ? {} : { tag: 'latest' }) }
    const headers = authHeader(options.credentials)
    using download = downloads.follow('pull', options.signal)
    const { signal } = download
    try {
      const answer = await transport.stream({ method: 'POST', path: '/images/create', query, headers, signal, timeoutMs: 120_000 })
      await followPull(answer.chunks, options, (id, status, bytes) => download.layer(id, STATES[status] ?? 'asked', bytes))
    } catch (cause) {
      signal.throwIfAborted() // the error of the cut connection is not the reason
      throw cause
    }
  }

  return async function pull(reference: string, options: PullOptions): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await pullOnce(reference, options)
      } catch (cause) {
        if (!(cause instanceof PullHeldUp)) throw cause
        if (tries === MOST_TRIES) throw new PullTooSlow()
        options.onLine('Somebody else downloaded the same layers too slowly, and was stopped; trying again')
        await sleep(AGAIN_MS * (cause.turn + 1), undefined, { signal: options.signal })
      }
    }
  }
}

type OnLayer = (id: string, status: string, bytes: number) => void

async function followPull(chunks: AsyncIterable<Buffer>, options: PullOptions, onLayer: OnLayer): Promise<void> {
  const arrived = new Map<string, number>()
  let last = ''
  for await (const message of jsonLines(chunks)) {
    const failure = text(field(message, 'errorDetail', 'message')) || text(field(message, 'error'))
    if (failure !== '') throw new EngineError(500, failure)
    const [id, status] = [text(field(message, 'id')), text(field(message, 'status'))]
    const bytes = count(field(message, 'progressDetail', 'current'))
    if (LAYER.test(id)) onLayer(id, status, bytes)
    if (bytes !== arrived.get(id)) options.onActivity?.()
    arrived.set(id, bytes)
    const line = [id, status].filter((part) => part !== '').join(': ')
    if (line !== last) options.onLine(line) // the engine repeats a layer's status for every chunk of it
    last = line
  }
}
