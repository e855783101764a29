import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { addDeployment } from '../../testing/harness/stored-app.ts'
import { containerOf, openRouting, openSlowly } from '../../testing/labs/routing-lab.ts'
import { findApp } from '../domain/rows.ts'
import { EdgeUnavailable } from '../edge/edge.ts'
import { moveDeployment } from '../features/deployments/store.ts'

type World = Awaited<ReturnType<typeof openRouting>>

const LONGER_THAN_A_DRAIN_MS = 1500

/** Looks all the time, as the periodic task and the notices of the database make it do. */
function keepFollowing(...worlds: readonly World[]) {
  const stopping = new AbortController()
  const loops = worlds.map(async ({ routing }) => {
    while (!stopping.signal.aborted) {
      await routing.shared?.follow(stopping.signal)
      await sleep(30)
    }
  })
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await Promise.all(loops)
    },
  }
}

async function openTwo(options: Parameters<typeof openRouting>[0] = {}) {
  const a = await openRouting({ ...options, node: 'a' })
  const b = await openRouting({ ...options, node: 'b', beside: a })
  for (const { routing } of [a, b]) {
    await routing.sync()
    await routing.shared?.follow(new AbortController().signal)
  }
  return {
    a,
    b,
    routed: async () => await Promise.all([a, b].map(async ({ map, one }) => (await map('apps'))[`app-${one.id}`])),
    async [Symbol.asyncDispose]() {
      await b[Symbol.asyncDispose]()
      await a[Symbol.asyncDispose]()
    },
  }
}

/** A deployment of the first app that is about to switch. */
async function rollOut({ db, engine, one }: World, ip: string, service?: string) {
  const app = await findApp(db, one.id)
  if (!app) throw new Error('there is no app')
  const { id } = await addDeployment(db, app, { sealed_config: 'x', image: 'i' })
  engine.running.push(containerOf({ ...one, deploymentId: id }, ip, service))
  const move = async (to: 'success' | 'failed') =>
    await db.transaction(async (tx) => {
      if (to === 'success') await tx.updateTable('deployment').set({ is_active: 0 }).where('id', '=', one.deploymentId).execute()
      await moveDeployment(tx, { id, from: 'deploying', to, at: new Date(), ...(to === 'success' && { change: { is_active: 1 } }) })
    })
  return { succeed: async () => await move('success'), fail: async () => await move('failed') }
}

it('a switch is complete once the edge of every living node serves it, and so is its end', async () => {
  await using two = await openTwo()
  const { a, b, routed } = two
  const { succeed } = await rollOut(a, '10.0.0.11')
  let isSwitched = false
  const switched = a.routing.switchTo(a.one.id, { ip: '10.0.0.11', port: 80 }).then(() => (isSwitched = true))
  await expect.poll(routed, { timeout: 20_000 }).toEqual(['10.0.0.11|80!10.0.0.1|80', '10.0.0.1|80'])
  await sleep(300)
  expect(isSwitched).toBe(false)
  await using _following = keepFollowing(b)
  await switched
  expect(await routed()).toEqual(['10.0.0.11|80!10.0.0.1|80', '10.0.0.11|80!10.0.0.1|80'])
  await succeed()
  await a.routing.drain(a.one.id, new AbortController().signal)
  expect(await routed()).toEqual(['10.0.0.11|80', '10.0.0.11|80'])
})

it('an edge that was stopped is not waited for, and a node that does not follow fails the switch', async () => {
  await using two = await openTwo({ drainMs: 100, withinMs: 500 })
  const { a, b, routed } = two
  await rollOut(a, '10.0.0.11')
  const target = { ip: '10.0.0.11', port: 80 }
  const refused = await a.routing.switchTo(a.one.id, target).catch((cause: unknown) => cause)
  expect(refused).toBeInstanceOf(EdgeUnavailable)
  expect(refused).toMatchObject({ message: 'The proxy of the node b was not updated in time.' })
  await a.routing.restore(a.one.id)
  expect(await routed()).toEqual(['10.0.0.1|80', '10.0.0.1|80'])
  const stopped = { edge_stopped: 1 } as const
  await a.db.transaction(async (tx) => await tx.updateTable('control_plane').set(stopped).where('name', '=', 'b').execute())
  await a.routing.switchTo(a.one.id, target)
  expect(await routed()).toEqual(['10.0.0.11|80!10.0.0.1|80', '10.0.0.1|80'])
  await b.routing.shared?.comeBack()
  await b.routing.shared?.follow(new AbortController().signal)
  expect(await routed()).toEqual(['10.0.0.11|80!10.0.0.1|80', '10.0.0.11|80!10.0.0.1|80'])
  const flags = await a.db.selectFrom('control_plane').select('edge_stopped').execute()
  expect(flags).toEqual([{ edge_stopped: 0 }, { edge_stopped: 0 }])
})

it('a drain waits for requests that came through the edge of another node', async () => {
  await using two = await openTwo()
  const { a, b } = two
  const slow = await openSlowly(b)
  await using _backend = slow.backend
  a.engine.running.splice(0, 1, containerOf(a.one, '127.0.0.1', 'api'))
  for (const { routing } of [a, b]) await routing.sync()
  await using _following = keepFollowing(a, b)
  const { body } = await slow.request()
  const { succeed } = await rollOut(a, '10.0.0.12', 'api')
  await a.routing.switchTo(a.one.id, { ip: '10.0.0.12', port: 80, isOfServices: true, services: new Map([['api', ['10.0.0.12']]]) })
  await succeed()
  const drained = a.routing.drain(a.one.id, new AbortController().signal).then(() => slow.events.push('drained'))
  await sleep(LONGER_THAN_A_DRAIN_MS)
  slow.answer()
  expect(await body).toBe('late')
  await drained
  expect(slow.events).toEqual(['answered', 'drained'])
})

it('a node that takes over an interrupted switch takes its visitors back, and a later end of the first one changes nothing', async () => {
  await using two = await openTwo()
  const { a, b, routed } = two
  await using _following = keepFollowing(a, b)
  const { fail } = await rollOut(a, '10.0.0.11')
  await a.routing.switchTo(a.one.id, { ip: '10.0.0.11', port: 80 })
  await b.routing.beginAgain(b.one.id)
  expect(await routed()).toEqual(['10.0.0.1|80', '10.0.0.1|80'])
  await b.routing.switchTo(b.one.id, { ip: '10.0.0.11', port: 80 })
  expect(await routed()).toEqual(['10.0.0.11|80!10.0.0.1|80', '10.0.0.11|80!10.0.0.1|80'])
  await fail() // its node is killed before it has said that the switch is over
  await expect.poll(routed, { timeout: 20_000 }).toEqual(['10.0.0.1|80', '10.0.0.1|80'])
})

it('a container that is restarted gets no visitors from any node, until the node that restarts it is done or gone', async () => {
  await using two = await openTwo()
  const { a, b, routed } = two
  a.engine.running.push(containerOf(a.one, '10.0.0.11'))
  for (const { routing } of [a, b]) {
    await routing.sync()
    await routing.lookAtReplicas()
  }
  await using _following = keepFollowing(b)
  const both = expect.stringMatching(/\/2$/)
  expect(await routed()).toEqual([both, both])
  const during: unknown[] = []
  await a.routing.withoutVisitors(a.one.id, '10.0.0.1', async () => void during.push(...(await routed())))
  expect(during).toEqual(['10.0.0.11|80', '10.0.0.11|80'])
  const again = async () => {
    await b.routing.lookAtReplicas()
    return (await routed())[1]
  }
  await expect.poll(again, { timeout: 20_000 }).toEqual(both)
  await a.routing.shared?.rest(a.one.id, '10.0.0.1')
  await a.routing.shared?.follow(new AbortController().signal)
  expect((await routed())[0], 'its own row, which may be older than its own decision').toEqual(both)
  await expect.poll(again, { timeout: 20_000 }).toBe('10.0.0.11|80')
  const gone = { heartbeat_at: '2020-01-01T00:00:00.000Z' }
  await a.db.transaction(async (tx) => await tx.updateTable('control_plane').set(gone).where('name', '=', 'a').execute())
  await expect.poll(again, { timeout: 20_000 }).toEqual(both)
})
