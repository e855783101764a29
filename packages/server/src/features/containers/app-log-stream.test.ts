import type { AppLogFrame } from '@berth/contract'
import { expect, it } from 'vitest'
import type { AppRow } from '../../domain/rows.ts'
import type { ContainerDetails, ContainerSummary } from '../../engine/container-state.ts'
import type { Engine } from '../../engine/engine.ts'
import { createAppLogStream } from './app-log-stream.ts'

const app = { id: 1, app_type: 'web' } as AppRow // like below: the fields that are read
type Input = { service?: string; since?: string }

/** An engine whose containers print a line long ago and one each time they are followed, with what it was asked for. */
function open(services: readonly (string | null)[]) {
  const asked: { id: string; follow: boolean; since: string | undefined }[] = []
  let connections = 0
  const containers = services.map((service, n) => ({ id: `c${n}`, state: 'running', owner: { service, replica: n + 1 } }))
  const engine = {
    containers: { inspect: async (id: string) => ({ id, isTty: false }) as ContainerDetails },
    logs: async function* ({ id }: { id: string }, { follow = false, since, signal }: Parameters<Engine['logs']>[1]) {
      asked.push({ id, follow, since })
      if (since === undefined) yield { at: '2020-01-01T00:00:00Z', line: `${id} began`, stream: 'stdout' as const }
      if (!follow || signal?.aborted) return
      connections += 1
      await new Promise((resolve) => signal?.addEventListener('abort', resolve, { once: true }))
      connections -= 1
    },
  } as unknown as Engine
  const release = { deploymentId: 1, processes: '[]', containers: containers as unknown as ContainerSummary[] }
  const streams = createAppLogStream({ engine, liveRelease: async () => release, now: () => new Date() })

  function listen(input: Input = {}) {
    const frames: AppLogFrame[] = []
    const left = new AbortController()
    const request = { caller: { id: 1 }, app, input, send: (frame: AppLogFrame) => void frames.push(frame), room: async () => undefined }
    const ended = streams['app.logs']({ ...request, signal: left.signal } as unknown as Parameters<(typeof streams)['app.logs']>[0])
    return { frames, leave: async () => (left.abort(), await ended), ended }
  }
  return { listen, asked, connections: () => connections }
}
const lines = (frames: readonly AppLogFrame[]) => frames.flatMap((frame) => (frame.type === 'log' ? [frame.data.line] : []))
const many = (count: number) => Array.from({ length: count }, () => null)

it('a container that has printed nothing since the given time is followed from that time on', async () => {
  const { listen, asked } = open([null])
  const since = '2026-01-01T00:00:00Z'
  const one = listen({ since })
  await expect.poll(() => asked.length).toBe(2)
  await one.leave()
  expect(asked).toEqual([false, true].map((follow) => ({ id: 'c0', follow, since })))
  expect(one.frames).toEqual([])
})

it('the main process has a name beside the others', async () => {
  const { listen, connections } = open([null, 'worker'])
  const [main, worker] = [listen({ service: 'web' }), listen({ service: 'worker' })]
  await expect.poll(connections).toBe(2)
  await Promise.all([main.leave(), worker.leave()])
  expect([...new Set(lines(main.frames))]).toEqual(['c0 began'])
  expect([...new Set(lines(worker.frames))]).toEqual(['c1 began'])
})

it('one stream follows at most 40 containers, and says what to do', async () => {
  const { listen, asked } = open([...many(40), 'worker'])
  const all = listen()
  await all.ended
  expect(all.frames.map(({ data }) => data)).toEqual([
    { message: expect.stringMatching(/^At most 40 .* Choose one service or process\.$/) },
  ])
  expect(asked).toEqual([])
})

it('a person follows at most 128 containers in all streams, and more once one of them has ended', async () => {
  const { listen, connections } = open(many(40))
  const [first, ...others] = [listen(), listen(), listen()]
  await expect.poll(connections).toBe(120)
  const beyond = listen()
  await beyond.ended
  expect(beyond.frames.at(-1)).toMatchObject({ type: 'end', data: { message: expect.stringContaining('at most 128 containers') } })
  expect(connections()).toBe(120)
  await first?.leave()
  const next = listen()
  await expect.poll(connections).toBe(120)
  expect(next.frames.some(({ type }) => type === 'end')).toBe(false)
  await Promise.all([...others, next].map(async ({ leave }) => await leave()))
  expect(connections()).toBe(0)
})
