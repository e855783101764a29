import { setTimeout as sleep } from 'node:timers/promises'
import type { EventType } from '@berth/contract'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../../testing/harness/start-test-server.ts'
import { writeRows } from '../../testing/harness/write-rows.ts'

let berth: TestServer
beforeAll(async () => {
  berth = await startTestServer()
})
afterAll(async () => await berth[Symbol.asyncDispose]())

it('every change is heard, in order, with the ids to ask for', async () => {
  const owner = await berth.owner()
  await using socket = await berth.connect('events', { cookie: owner.cookie })
  await socket.waitFor(({ type }) => type === 'ready')
  const heard = async (type: EventType, data: object) => {
    const frame = await socket.waitFor((one) => one.type === type && Object.entries(data).every(([key, value]) => one.data[key] === value))
    expect(frame.data).toMatchObject(data)
  }
  const user = await owner.call('users.create', { email: 'heard@example.test', password: 'a-good-password' })
  await heard('user.changed', { userId: user.id })
  const { id: projectId } = await owner.call('projects.create', { name: 'Heard' })
  await heard('project.created', { projectId })
  await owner.call('projects.update', { id: projectId, name: 'Loud' })
  await heard('project.updated', { projectId })
  await owner.call('projects.members', { id: projectId, userIds: [user.id] })
  await heard('project.members_changed', { projectId })
  const { id: appId } = await owner.call('apps.create', { projectId, name: 'app' })
  await heard('app.created', { projectId, appId })
  await owner.call('apps.update', { appId, description: 'x' })
  await heard('app.updated', { projectId, appId })
  await owner.call('envs.create', { appId, key: 'A', value: 'b' })
  await heard('env.changed', { projectId, appId })
  await owner.call('projectEnvs.replace', { projectId, variables: [{ key: 'A', value: 'b' }] })
  await heard('project.env_changed', { projectId })
  const domain = await owner.call('domains.create', { appId, domain: 'heard.example.com' })
  await heard('domain.changed', { projectId, appId, domainId: domain.id })
  await owner.call('settings.update', { retention: 4 })
  await heard('settings.changed', {})
  const deployment = await owner.call('deployments.create', { appId })
  await heard('deployment.created', { projectId, appId, deploymentId: deployment.id })
  await heard('deployment.status_changed', { deploymentId: deployment.id, status: 'failed' })
  await heard('app.status_changed', { appId, status: 'error' })
  await owner.call('apps.delete', { appId })
  await heard('app.deleted', { projectId, appId })
  await owner.call('projects.delete', { id: projectId })
  await heard('project.deleted', { projectId })
  const numbers = socket.frames.slice(1).map(({ seq }) => seq ?? 0)
  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
  expect(new Set(numbers).size).toBe(numbers.length)
  expect(socket.problems).toEqual([])
})

it('a reader that was disconnected resumes after its cursor, without gaps or repetitions', async () => {
  const owner = await berth.owner()
  await using first = await berth.connect('events', { cookie: owner.cookie })
  const cursor = (await first.waitFor(({ type }) => type === 'ready')).seq ?? 0
  for (const name of ['one', 'two', 'three']) await owner.call('projects.create', { name })
  await first.waitFor(() => first.frames.length === 4)
  await using second = await berth.connect('events', { cookie: owner.cookie, input: { after: cursor + 1 } })
  await second.waitFor(() => second.frames.length === 3)
  expect(second.frames.slice(1)).toEqual(first.frames.slice(2))
})

/** Events about one person, as if that person had been changed many times. */
async function insertEvents(userId: number, count: number): Promise<void> {
  const row = { at: new Date().toISOString(), type: 'user.changed', project_id: null, data: JSON.stringify({ userId }) }
  await writeRows(berth, async (tx) => {
    for (let left = count; left > 0; left -= 1000)
      await tx
        .insertInto('event')
        .values(Array.from({ length: Math.min(left, 1000) }, () => row))
        .execute()
  })
}

it('other requests are answered while many sockets replay a long history', async () => {
  const SOCKETS = 12
  const EVENTS = 4500
  const person = await berth.as('replayer')
  await using first = await berth.connect('events', { cookie: person.cookie })
  const after = (await first.waitFor(({ type }) => type === 'ready')).seq ?? 0
  await insertEvents(person.id, EVENTS)
  const sockets = await Promise.all(
    Array.from({ length: SOCKETS }, async () => await berth.connect('events', { cookie: person.cookie, input: { after } })),
  )
  const hasAll = () => sockets.filter(({ frames }) => frames.length > EVENTS).length
  let answersBeforeTheFirstHasAll = 0
  while (hasAll() === 0) {
    expect((await berth.raw('GET', '/health')).status).toBe(200)
    answersBeforeTheFirstHasAll += 1
  }
  expect(answersBeforeTheFirstHasAll).toBeGreaterThan(5)
  await expect.poll(hasAll, { timeout: 60_000 }).toBe(SOCKETS)
  for (const socket of sockets) await socket[Symbol.asyncDispose]()
})

it('a reader that is too far behind starts over at the newest event, and `ready` says so', async () => {
  const person = await berth.as('replayer')
  await insertEvents(person.id, 5001)
  await using newest = await berth.connect('events', { cookie: person.cookie })
  const { seq = 0 } = await newest.waitFor(({ type }) => type === 'ready')
  await using tooFar = await berth.connect('events', { cookie: person.cookie, input: { after: seq - 5001 } })
  expect((await tooFar.waitFor(({ type }) => type === 'ready')).seq).toBe(seq)
  await using near = await berth.connect('events', { cookie: person.cookie, input: { after: seq - 5000 } })
  expect((await near.waitFor(({ type }) => type === 'ready')).seq).toBe(seq - 5000)
  await near.waitFor((frame) => frame.seq === seq)
  expect(near.frames).toHaveLength(5001)
  const { id: projectId } = await person.call('projects.create', { name: 'After the new start' })
  await tooFar.waitFor(({ type }) => type === 'project.created')
  expect(tooFar.frames.slice(1).map(({ type, data }) => [type, data['projectId']])).toEqual([['project.created', projectId]])
})

it('people hear of their own projects alone', async () => {
  const owner = await berth.owner()
  const person = await berth.as('listener')
  await using socket = await berth.connect('events', { cookie: person.cookie })
  await socket.waitFor(({ type }) => type === 'ready')
  const { id: foreignId } = await owner.call('projects.create', { name: 'Not theirs' })
  await owner.call('settings.update', { retention: 5 })
  await owner.call('projects.delete', { id: foreignId })
  const own = await person.call('projects.create', { name: 'Theirs' })
  await person.call('projects.delete', { id: own.id })
  await socket.waitFor(({ type }) => type === 'project.deleted')
  expect(socket.frames.slice(1).map(({ type, data }) => [type, data['projectId']])).toEqual([
    ['project.created', own.id],
    ['project.deleted', own.id],
  ])
})

it('metrics come every second, to anyone who is signed in', async () => {
  const person = await berth.as('listener')
  await using socket = await berth.connect('metrics', { cookie: person.cookie })
  await socket.waitFor(() => socket.frames.length >= 2)
  expect(socket.frames[0]?.data).toMatchObject({ cpu: { usage: expect.any(Number) }, docker: { containers_running: 0 } })
  expect(socket.problems).toEqual([])
})

it('the load is kept from the start of the server on, whether or not somebody watches', async () => {
  const person = await berth.as('listener')
  while ((await person.call('metrics.history')).points.length === 0) await sleep(50)
  const { since, everySeconds, points } = await person.call('metrics.history')
  expect(everySeconds).toBe(10)
  expect(Date.parse(points[0]?.at ?? '')).toBeGreaterThanOrEqual(Date.parse(since))
  expect(points[0]).toMatchObject({ cpu: { usage: expect.any(Number) }, memory: { percent: expect.any(Number) } })
})

it('a deployment is streamed from its first state to its last, also to late followers', async () => {
  const owner = await berth.owner()
  const { id: projectId } = await owner.call('projects.create', { name: 'Told' })
  const { id: appId } = await owner.call('apps.create', { projectId, name: 'app' })
  const { id, status } = await owner.call('deployments.add', { appId })
  expect(status).toBe('pending')
  await using live = await berth.connect('deployment.stream', { cookie: owner.cookie, input: { deploymentId: id } })
  expect(await live.closed).toBe(1000)
  while ((await owner.call('deployments.running')).length > 0) await sleep(50)
  await using late = await berth.connect('deployment.streamById', { cookie: owner.cookie, input: { deploymentId: id } })
  expect(await late.closed).toBe(1000)
  const row = await owner.call('deployments.get', { id })
  expect([row.status, row.error_message]).toEqual(['failed', expect.stringMatching(/\S/)])
  for (const { frames, problems } of [live, late]) {
    expect(problems).toEqual([])
    expect(frames[0]?.type).toBe('status')
    expect(frames.at(-2)).toMatchObject({ type: 'error', data: { message: row.error_message } })
    expect(frames.at(-1)).toMatchObject({ type: 'status', data: { status: 'failed', deployment_id: id } })
  }
  const lines = late.frames.filter(({ type }) => type === 'log').map(({ data }) => data)
  expect(lines.map(({ n }) => n)).toEqual(lines.map((_line, index) => index + 1))
  expect(await owner.call('deployments.log', { deploymentId: id })).toBe(lines.map(({ line }) => `${String(line)}\n`).join(''))
  await using resumed = await berth.connect('deployment.streamById', { cookie: owner.cookie, input: { deploymentId: id, from: 1 } })
  await resumed.closed
  expect(resumed.frames.filter(({ type }) => type === 'log').map(({ data }) => data)).toEqual(lines.slice(1))
})
