import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { resourcesOf } from '../../testing/harness/process-resources.ts'
import { type Person, startTestServer, type TestServer } from '../../testing/harness/start-test-server.ts'

const LOG_BYTES = 20 * 1024 * 1024
const READERS = 20
/** Far less than the lines of such a log as objects, and enough for everything else. */
const HEAP_MB = 128

let berth: TestServer
let owner: Person
let deploymentId: number

/** A log of the maximum size with the shortest possible lines: ten million of them. */
beforeAll(async () => {
  berth = await startTestServer({ runs: 'as a process', env: { NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}` } })
  owner = await berth.owner()
  const { id: projectId } = await owner.call('projects.create', { name: 'Tiny' })
  const { id: appId } = await owner.call('apps.create', { projectId, name: 'lines' })
  deploymentId = (await owner.call('deployments.add', { appId })).id
  while ((await owner.call('deployments.get', { id: deploymentId })).status !== 'failed') await sleep(50)
  await writeFile(path.join(berth.dataDir, 'logs', `d${deploymentId}.log`), Buffer.alloc(LOG_BYTES, ' \n'))
})
afterAll(async () => await berth[Symbol.asyncDispose]())

const restLog = async () => await fetch(`${berth.baseUrl}/api/deployment/logs/${deploymentId}`, { headers: { cookie: owner.cookie } })

async function* piecesOf(answer: Response): AsyncGenerator<Uint8Array> {
  for await (const piece of answer.body ?? []) yield piece as Uint8Array // a body is bytes
}

it('many who read a long log slowly at the same time take little memory', async () => {
  const before = await resourcesOf(berth.pid())
  await using sockets = new AsyncDisposableStack()
  for (let n = 0; n < READERS; n += 1) {
    const socket = await berth.connect('deployment.stream', { cookie: owner.cookie, input: { deploymentId } })
    sockets.use(socket)
    await socket.waitFor(({ type }) => type === 'log')
    socket.pause()
  }
  const answers = await Promise.all(Array.from({ length: READERS }, restLog))
  for (const answer of answers) {
    const pieces = piecesOf(answer)
    expect((await pieces.next()).done).toBe(false)
    sockets.defer(async () => void (await pieces.return(undefined)))
  }
  expect((await berth.raw('GET', '/health')).status).toBe(200)
  const { memoryMb } = await resourcesOf(berth.pid())
  expect(memoryMb - before.memoryMb).toBeLessThan(250)
})

it('such a log is read whole, and from any line on', async () => {
  let lines = 0
  for await (const piece of piecesOf(await restLog())) lines += piece.length
  expect(lines).toBe(LOG_BYTES / 2) // each is a line feed
  const from = LOG_BYTES / 2 - 3
  await using socket = await berth.connect('deployment.stream', { cookie: owner.cookie, input: { deploymentId, from } })
  expect(await socket.closed).toBe(1000)
  expect(socket.frames.filter(({ type }) => type === 'log').map(({ data }) => data['n'])).toEqual([from + 1, from + 2, from + 3])
})

it('to go on writing one takes little memory as well', async () => {
  await berth.restart()
  const log = path.join(berth.dataDir, 'logs')
  const { id: projectId } = await owner.call('projects.create', { name: 'Again' })
  const { id: appId } = await owner.call('apps.create', { projectId, name: 'lines' })
  await writeFile(path.join(log, `d${deploymentId + 1}.log`), Buffer.concat([Buffer.alloc(LOG_BYTES, ' \n'), Buffer.from(' half')]))
  const { id } = await owner.call('deployments.add', { appId })
  expect(id).toBe(deploymentId + 1)
  while ((await owner.call('deployments.get', { id })).status !== 'failed') await sleep(50)
  await using socket = await berth.connect('deployment.stream', { cookie: owner.cookie, input: { deploymentId: id, from: LOG_BYTES / 2 } })
  expect(await socket.closed).toBe(1000)
  const lines = socket.frames.filter(({ type }) => type === 'log').map(({ data }) => data)
  expect(lines[0]).toMatchObject({ n: LOG_BYTES / 2 + 1, stream: 'berth' })
  expect(lines.at(-1)?.['line']).toMatch(/^Failed: /)
})
