import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { afterAll, expect, it } from 'vitest'
import { COSTLY_TEXTS } from './costly-texts.ts'
import type { Cost } from './costly-worker.ts'

/** Of this thread alone. Each takes a fraction of it, also on a busy machine; what grows with more than the text takes many times as long. */
const MOST_SECONDS = 2
const MOST_HEAP_MIB = 256
const LONGEST_SENTENCE = 16_000
/** Of waiting for one that may never end. */
const PATIENCE_MS = 50_000

let worker: Worker | undefined

afterAll(async () => await worker?.terminate())

/** In a thread of its own, because a text may be one that never ends. */
async function costOf(name: string): Promise<Cost> {
  const at = new URL('costly-worker.ts', import.meta.url)
  worker ??= new Worker(at, { resourceLimits: { maxOldGenerationSizeMb: MOST_HEAP_MIB } })
  worker.postMessage(name)
  try {
    const [cost] = (await once(worker, 'message', { signal: AbortSignal.timeout(PATIENCE_MS) })) as [Cost] // what our worker posts
    return cost
  } catch (cause) {
    await worker.terminate()
    worker = undefined
    throw cause
  }
}

it.each(COSTLY_TEXTS.map(({ name, says = '' }) => ({ name, says })))(
  'a stranger cannot hold up the server with $name',
  async ({ name, says }) => {
    const { seconds, said } = await costOf(name)
    expect(said).toContain(says)
    expect(said.length).toBeLessThan(LONGEST_SENTENCE)
    expect(seconds).toBeLessThan(MOST_SECONDS)
  },
)

it('each costly text has a name of its own', () => {
  expect(new Set(COSTLY_TEXTS.map(({ name }) => name)).size).toBe(COSTLY_TEXTS.length)
})
