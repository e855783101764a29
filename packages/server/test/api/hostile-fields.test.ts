import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../../testing/harness/start-test-server.ts'
import { type Canary, hostileTexts, openCanary } from '../hostile/hostile-corpus.ts'
import { HOSTILE_FIELDS, openHostileWorld } from '../hostile/hostile-fields.ts'

let berth: TestServer
let canary: Canary
beforeAll(async () => {
  canary = await openCanary()
  berth = await startTestServer()
})
afterAll(async () => {
  await berth[Symbol.asyncDispose]()
  await canary[Symbol.asyncDispose]()
})

const FIELDS = ['name', 'description', 'repo', 'branch', 'clone URL', 'root dir', 'Dockerfile path', 'env key', 'env value', 'domain']

describe('twenty hostile texts', () => {
  it('in every field, at creation and at change, are taken literally or refused without a trace', async () => {
    const world = await openHostileWorld(berth, await berth.as('mallory'))
    const complaints: string[] = []
    const taken: string[] = []
    const texts = hostileTexts(canary)
    for (const text of texts)
      for (const field of HOSTILE_FIELDS) {
        const outcome = await world.judge(field, text)
        if (outcome.complaint !== undefined) complaints.push(outcome.complaint)
        if (outcome.taken) taken.push(field.field)
      }
    expect(complaints).toEqual([])
    expect(texts).toHaveLength(20)
    const fields = new Set(HOSTILE_FIELDS.map(({ field }) => field))
    expect([...FIELDS, 'template', 'project name'].filter((field) => !fields.has(field))).toEqual([])
    for (const field of ['template', 'env key', 'domain', 'Dockerfile path', 'root dir']) expect(taken).not.toContain(field)
    expect(await canary.findings()).toEqual([])
  })
})

it('ten megabytes of JSON are body_too_large, and the next request is answered', async () => {
  const { cookie } = await berth.owner()
  const body = JSON.stringify({ name: 'x', description: 'y'.repeat(10 * 1024 * 1024) })
  const answer = await berth.raw('POST', '/api/projects/create', { cookie, body })
  expect([answer.status, answer.json.code]).toEqual([413, 'body_too_large'])
  expect((await berth.raw('GET', '/health')).status).toBe(200)
})
