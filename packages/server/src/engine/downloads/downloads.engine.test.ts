import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newLayer, startSlowRegistry } from '../../../testing/harness/slow-registry.ts'
import { openTestEngine, tarOf } from '../../../testing/images/test-images.ts'
import { until } from '../../../testing/labs/deploy-lab.ts'
import { PullTooSlow } from '../api/errors.ts'
import type { Engine } from '../engine.ts'
import { newImageName } from '../image-names.ts'
import { leastIn } from './pace.ts'

const WINDOW_MS = 3000
/** More than the least pace, although the layers of an image share it. */
const FINE = 100_000
const DRIBBLE = 4

const test = openTestEngine({ pullWindowMs: WINDOW_MS })
const { engine } = test
let registry: Awaited<ReturnType<typeof startSlowRegistry>>
beforeAll(async () => {
  registry = await startSlowRegistry()
})
afterAll(async () => {
  await registry?.[Symbol.asyncDispose]()
  await test[Symbol.asyncDispose]()
})

async function pull(name: string, by: Engine = engine): Promise<string[]> {
  const lines: string[] = []
  await by.images.pull(name, { signal: AbortSignal.timeout(60_000), onLine: (line) => lines.push(line) })
  await by.images.remove(name)
  return lines
}
async function build(from: string): Promise<void> {
  const tag = newImageName()
  const contextTar = tarOf({ Dockerfile: `FROM ${from}\nLABEL built=1\n` })
  await engine.build({
    contextTar,
    dockerfile: 'Dockerfile',
    tag,
    labels: {},
    onLine: () => undefined,
    signal: AbortSignal.timeout(60_000),
  })
  await engine.images.remove(tag)
}
const bothEnds = async (...pulls: Promise<unknown>[]) => (await Promise.allSettled(pulls)).map((each) => each.status)

it('a pull whose layers come a few bytes at a time is ended, and its places are free again', async () => {
  const name = registry.add('dribble', [newLayer(200_000), newLayer(200_000), newLayer(200_000)], DRIBBLE)
  await expect(pull(name)).rejects.toThrow(PullTooSlow)
  expect(
    await until(
      () => registry.sending(),
      (names) => names.length === 0,
    ),
  ).toEqual([])
})

it('a pull that is slow, but faster than the least pace, comes to its end', async () => {
  const name = registry.add('slow', [newLayer(6 * leastIn(WINDOW_MS)), newLayer(60_000)], leastIn(WINDOW_MS) * 0.8)
  expect(await pull(name)).toContainEqual(expect.stringContaining('Pull complete'))
})

it('somebody who wants a layer that another registry sends slowly gets it from their own, and the slow one is ended', async () => {
  const layer = newLayer(FINE)
  const [slow, good] = [registry.add('trap', [layer], DRIBBLE), registry.add('good', [layer], 10 * FINE)]
  const trap = pull(slow)
  await until(
    () => registry.sending(),
    (names) => names.includes('trap'),
  )
  const [trapped, served] = await Promise.allSettled([trap, pull(good)])
  expect(trapped).toMatchObject({ status: 'rejected', reason: expect.any(PullTooSlow) })
  expect(served.status).toBe('fulfilled')
})

it('a build whose base image comes a few bytes at a time is ended', async () => {
  const name = registry.add('base', [newLayer(200_000), newLayer(200_000)], DRIBBLE)
  await expect(build(name)).rejects.toThrow(PullTooSlow)
  expect(
    await until(
      () => registry.sending(),
      (names) => names.length === 0,
    ),
  ).toEqual([])
})

it('a build whose base image comes faster than the least pace succeeds, although the engine reports it by the MiB', async () => {
  const name = registry.add(
    'fine-base',
    Array.from({ length: 3 }, () => newLayer(20 * FINE)),
    5 * FINE,
  )
  await expect(build(name)).resolves.toBeUndefined()
})

it('a build that wants a layer that another registry sends slowly is not held up for long', async () => {
  const layer = newLayer(FINE)
  const [slow, good] = [registry.add('trap2', [layer], DRIBBLE), registry.add('good2', [layer], 10 * FINE)]
  const trap = pull(slow)
  await until(
    () => registry.sending(),
    (names) => names.includes('trap2'),
  )
  expect(await bothEnds(trap, build(good))).toEqual(['rejected', 'rejected'])
  await expect(build(good)).resolves.toBeUndefined()
})

it('a pull that wants a layer that the base image of a build brings slowly gets it, and the build is ended', async () => {
  const layer = newLayer(FINE)
  const [slow, good] = [registry.add('trap3', [layer], DRIBBLE), registry.add('good3', [layer], 10 * FINE)]
  const trap = build(slow)
  await until(
    () => registry.sending(),
    (names) => names.includes('trap3'),
  )
  await sleep(1000) // the engine reports the layers of a build with a delay
  expect(await bothEnds(trap, pull(good))).toEqual(['rejected', 'fulfilled'])
})
