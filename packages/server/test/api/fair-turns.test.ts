import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../../testing/harness/start-test-server.ts'

const MANY = 40
let berth: TestServer
let member: Person
let other: Person

beforeAll(async () => {
  berth = await startTestServer({ runs: 'as a process' })
  member = await berth.as('member')
  other = await berth.as('other')
})
afterAll(async () => await berth[Symbol.asyncDispose]())

/** Sends a request many times at once. Gives how many were answered before one of somebody else, which was sent after them. */
async function answeredBefore(work: () => Promise<unknown>): Promise<number> {
  let answered = 0
  const flood = Array.from({ length: MANY }, async () => {
    await work()
    answered += 1
  })
  await new Promise((resolve) => setTimeout(resolve, 20))
  await other.call('projects.list')
  const before = answered
  await Promise.all(flood)
  return before
}

it('many costly requests of one person do not hold up the others', async () => {
  const projectId = (await member.call('projects.create', { name: 'Flood' })).id
  const envVars = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`KEY_${index}`, 'x'.repeat(100)]))
  const { id: appId } = await member.call('apps.create', { projectId, name: 'costly', envVars })
  expect(await answeredBefore(async () => await member.call('envs.changes', { appId }))).toBeLessThan(MANY / 2)
})
