import { expect, it } from 'vitest'
import { openTestDatabase } from '../../testing/harness/test-database.ts'
import { beat, joinNodes, leaveNodes } from '../store/presence.ts'
import { createStopLostEdges } from './lost-edges.ts'

async function openNodes() {
  const test = await openTestDatabase()
  const { db } = test
  const nodes = ['a', 'b', 'c'].map((name) => ({ name, bootId: `boot of ${name}`, version: '1', keys: 'same', ports: [] }))
  const serving = { edge_stopped: 0 } as const
  for (const node of nodes) await db.transaction(async (tx) => await joinNodes(tx, node))
  await db.transaction(async (tx) => await tx.updateTable('control_plane').set(serving).execute())
  const stopped: string[] = []
  const judge = { may: true, during: async () => undefined as void }
  const stop = createStopLostEdges({
    db,
    bootId: 'boot of a',
    mayJudge: async () => judge.may,
    stopEdge: async (name) => {
      await judge.during()
      stopped.push(name)
    },
    log: { warn: () => undefined },
  })
  const lastHeard = async (name: string, secondsAgo: number) => {
    const heartbeat_at = new Date(Date.now() - secondsAgo * 1000).toISOString()
    await db.transaction(async (tx) => await tx.updateTable('control_plane').set({ heartbeat_at }).where('name', '=', name).execute())
  }
  const flags = async () =>
    (await db.selectFrom('control_plane').select('edge_stopped').orderBy('name').execute()).map((row) => row.edge_stopped)
  return { ...test, nodes, judge, stop, stopped, lastHeard, flags }
}

it('stops the edge of a node that has been gone for a while, once, and no other', async () => {
  await using test = await openNodes()
  await test.lastHeard('b', 12)
  await test.stop()
  expect(test.stopped).toEqual([])
  await test.lastHeard('b', 20)
  await test.stop()
  await test.stop()
  expect([test.stopped, await test.flags()]).toEqual([['b'], [0, 1, 0]])
})

it('stops nobody after the database was away for all of them, nor while this node may not judge', async () => {
  await using test = await openNodes()
  for (const name of ['a', 'b', 'c']) await test.lastHeard(name, 20)
  await test.stop()
  expect([test.stopped, await test.flags()]).toEqual([[], [0, 0, 0]])
  await test.lastHeard('a', 1)
  test.judge.may = false
  await test.stop()
  expect([test.stopped, await test.flags()]).toEqual([[], [0, 0, 0]])
  test.judge.may = true
  await test.stop()
  expect(test.stopped).toEqual(['b', 'c'])
})

it('a node that was only slow hears that its edge is being stopped, and again after that', async () => {
  await using test = await openNodes()
  const [, b] = test.nodes
  if (!b) throw new Error('there is no b')
  await test.lastHeard('b', 20)
  const during: unknown[] = []
  test.judge.during = async () => {
    const { state } = await test.db.transaction(async (tx) => await beat(tx, b))
    during.push(state, await test.flags())
    await test.db.transaction(async (tx) => await tx.updateTable('control_plane').set({ edge_stopped: 0 }).execute()) // as if it were back
  }
  await test.stop()
  expect([during, await test.flags()]).toEqual([
    ['edge stopped', [0, 2, 0]],
    [0, 1, 0],
  ])
})

it('a node hears that its edge was stopped, and a start does not change that', async () => {
  await using test = await openNodes()
  const [, b] = test.nodes
  if (!b) throw new Error('there is no b')
  const heard = async () => (await test.db.transaction(async (tx) => await beat(tx, b))).state
  expect(await heard()).toBe('there')
  await test.lastHeard('b', 20)
  await test.stop()
  expect(await heard()).toBe('edge stopped')
  await test.db.transaction(async (tx) => await leaveNodes(tx, b))
  expect(await heard()).toBe('replaced')
  await test.db.transaction(async (tx) => await joinNodes(tx, b))
  expect([await heard(), await test.flags()]).toEqual(['edge stopped', [0, 1, 0]])
})

it('a node that fails at each start counts as gone, however often it starts', async () => {
  await using test = await openNodes()
  const [, b] = test.nodes
  if (!b) throw new Error('there is no b')
  await test.lastHeard('b', 20)
  for (const bootId of ['second', 'third']) await test.db.transaction(async (tx) => await joinNodes(tx, { ...b, bootId }))
  await test.stop()
  await test.db.transaction(async (tx) => await joinNodes(tx, { ...b, bootId: 'fourth' }))
  expect([test.stopped, await test.flags()]).toEqual([['b'], [0, 1, 0]])
})
