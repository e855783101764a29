import { appendFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../../testing/harness/start-test-server.ts'
import type { Frame } from '../../testing/harness/test-socket.ts'

const LINES = 100_000

let berth: TestServer
let owner: Person
let deploymentId: number

/** A failed deployment with far more output than a socket may buffer. */
beforeAll(async () => {
  berth = await startTestServer()
  owner = await berth.owner()
  const project = await owner.call('projects.create', { name: 'Talkative' })
  const app = await owner.call('apps.create', {
    name: 'talker',
    projectId: project.id,
    port: 8080,
    gitCloneUrl: 'https://git.example.test/a.git',
  })
  deploymentId = (await owner.call('deployments.add', { appId: app.id })).id
  while ((await owner.call('deployments.get', { id: deploymentId })).status !== 'failed') await sleep(50)
  const text = Array.from({ length: LINES }, (_, index) => ` line ${index} ${'x'.repeat(40)}\n`).join('')
  await appendFile(path.join(berth.dataDir, 'logs', `d${deploymentId}.log`), text)
})
afterAll(async () => await berth[Symbol.asyncDispose]())

const listen = async () => await berth.connect('deployment.stream', { cookie: owner.cookie, input: { deploymentId } })
const linesOf = (frames: readonly Frame[]) => frames.filter(({ type }) => type === 'log').map(({ data }) => data)

it('a long log reaches whoever reads it whole, each line once, and one that pauses as well', async () => {
  await using quick = await listen()
  await using slow = await listen()
  slow.pause()
  expect(await quick.closed).toBe(1000)
  await sleep(1000)
  slow.resume()
  expect(await slow.closed).toBe(1000)
  const rest = await owner.call('deployments.log', { deploymentId })
  for (const { frames, problems } of [quick, slow]) {
    expect(problems).toEqual([])
    const lines = linesOf(frames)
    expect(lines.map(({ line }) => `${String(line)}\n`).join('') === rest).toBe(true)
    expect(lines.at(-1)?.['n']).toBe(lines.length)
    expect(frames.at(-1)?.data).toMatchObject({ status: 'failed' })
  }
})

it('one that never reads is closed, and nobody else notices', async () => {
  await using deaf = await listen()
  deaf.pause()
  await sleep(18_000) // longer than its timeout
  await using other = await listen()
  expect(await other.closed).toBe(1000)
  deaf.resume()
  expect([1006, 1013]).toContain(await deaf.closed)
  const told = linesOf(deaf.frames).length
  expect(told).toBeGreaterThan(0)
  expect(told).toBeLessThan(LINES)
})
