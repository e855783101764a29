import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { openTestDatabase } from '../../../testing/harness/test-database.ts'
import { startTestEdge, type TestEdge } from '../../../testing/harness/test-edge.ts'
import type { Db } from '../../store/database.ts'
import { joinNodes } from '../../store/presence.ts'
import { createSharedChallenges } from './shared-challenges.ts'

async function startNode(db: Db, name: string, edge: TestEdge) {
  await edge.edge.setRoutes({ apps: [] })
  const bootId = randomUUID()
  await db.transaction(async (tx) => await joinNodes(tx, { name, bootId, version: '1', keys: 'same', ports: [] }))
  const warnings: object[] = []
  const log = { info: () => undefined, warn: (fields: object) => void warnings.push(fields) }
  return { ...createSharedChallenges({ db, bootId, edge: edge.edge, log, now: () => new Date(), withinMs: 2000 }), warnings }
}

const answerOf = async ({ httpPort }: TestEdge, token: string) => {
  const response = await fetch(`http://127.0.0.1:${httpPort}/.well-known/acme-challenge/${token}`)
  return response.status === 200 ? await response.text() : response.status
}

it('a challenge is ready once the edge of every living node answers it, and none does after it is over', async () => {
  await using test = await openTestDatabase()
  await using edgeA = await startTestEdge()
  await using edgeB = await startTestEdge()
  const [a, b] = [await startNode(test.db, 'a', edgeA), await startNode(test.db, 'b', edgeB)]
  let isReady = false
  const added = a.addChallenge('token-1', 'answer-1').then(() => (isReady = true))
  await expect.poll(async () => await answerOf(edgeA, 'token-1')).toBe('answer-1')
  await sleep(500)
  expect([isReady, await answerOf(edgeB, 'token-1')]).toEqual([false, 404])
  await b.follow()
  await added
  expect(await answerOf(edgeB, 'token-1')).toBe('answer-1')
  await a.removeChallenge('token-1')
  await b.follow()
  expect([await answerOf(edgeA, 'token-1'), await answerOf(edgeB, 'token-1')]).toEqual([404, 404])
  expect(a.warnings).toEqual([])
})

it('waits for no node that is gone, and not forever for one whose edge does not answer', async () => {
  await using test = await openTestDatabase()
  await using edge = await startTestEdge()
  const a = await startNode(test.db, 'a', edge)
  await test.db.transaction(async (tx) => await joinNodes(tx, { name: 'b', bootId: 'b', version: '1', keys: 'same', ports: [] }))
  await a.addChallenge('token-1', 'answer-1')
  expect(a.warnings).toEqual([{ nodes: ['b'] }])
  const gone = { heartbeat_at: '2020-01-01T00:00:00.000Z' }
  await test.db.transaction(async (tx) => await tx.updateTable('control_plane').set(gone).where('name', '=', 'b').execute())
  await a.addChallenge('token-2', 'answer-2')
  expect(a.warnings).toHaveLength(1)
})
