import { expect, it } from 'vitest'
import { openTestDatabase } from '../../../testing/harness/test-database.ts'
import type { ContainerSummary } from '../../engine/container-state.ts'
import type { Engine } from '../../engine/engine.ts'
import { createOutages } from './outages.ts'

type Seen = { nodeId?: string; replica: number; state?: string }

/** What Swarm says now; the tests change it. */
async function openLab() {
  const test = await openTestDatabase()
  const world = { isSwarm: true, ready: ['n2', 'n3'], known: ['n2', 'n3'], containers: [] as Seen[], afterRead: () => {} }
  /** Swarm may change between two requests. */
  function read<T>(answer: T): T {
    world.afterRead()
    return answer
  }
  const engine = {
    placement: { isSwarm: async () => world.isSwarm },
    swarm: {
      nodes: async () => read(world.known.map((id) => ({ id, serverId: `s-${id}`, name: id, isReady: world.ready.includes(id) }))),
    },
    containers: {
      list: async () =>
        read(
          world.containers.map(({ nodeId, replica, state = 'running' }) => {
            const owner = { appId: 4, service: null, replica } as ContainerSummary['owner'] // what is read of it
            return { state, owner, ...(nodeId !== undefined && { nodeId }) }
          }),
        ),
    },
  } as unknown as Engine // what is asked of it
  let second = 0
  const now = () => new Date(Date.UTC(2026, 0, 1, 0, 0, (second += 1)))
  const begin = () => createOutages({ db: test.db, engine, instance: 'abc', now })
  return { world, begin, [Symbol.asyncDispose]: async () => await test[Symbol.asyncDispose]() }
}

it('a lost server is noted once, with how many of its containers run elsewhere, until it is back', async () => {
  await using lab = await openLab()
  const { world } = lab
  const outages = lab.begin()
  world.containers = [
    { nodeId: 'n2', replica: 1 },
    { nodeId: 'n3', replica: 2 },
    { nodeId: 'n3', replica: 3 },
    { nodeId: 'n3', replica: 4, state: 'restarting' },
  ]
  await outages.look()
  expect(await outages.list()).toEqual([])
  world.ready = ['n2']
  for (let n = 0; n < 2; n += 1) await outages.look()
  expect(await outages.list()).toMatchObject([{ serverName: 'n3', endedAt: null, containers: 2, moved: 0 }])
  world.containers = [1, 2].map((replica) => ({ nodeId: 'n2', replica }))
  await outages.look()
  expect(await outages.list()).toMatchObject([{ moved: 1 }])
  // a start in between; and one of them on the first server, without Swarm
  world.containers.push({ replica: 3 })
  await lab.begin().look()
  expect(await outages.list()).toMatchObject([{ endedAt: null, moved: 2 }])
  world.ready = ['n2', 'n3']
  world.containers = world.containers.map(({ replica }) => ({ nodeId: 'n3', replica }))
  for (let n = 0; n < 2; n += 1) await outages.look()
  const [first, ...more] = await outages.list()
  expect(more).toEqual([])
  expect(first).toMatchObject({ containers: 2, moved: 2 })
  expect(Date.parse(first?.endedAt ?? '')).toBeGreaterThan(Date.parse(first?.lostAt ?? ''))
})

it('a server that is lost while Swarm is read is noted with its containers', async () => {
  await using lab = await openLab()
  const { world } = lab
  const outages = lab.begin()
  world.containers = [1, 2].map((replica) => ({ nodeId: 'n3', replica }))
  await outages.look()
  world.afterRead = () => Object.assign(world, { ready: ['n2'], containers: [] })
  for (let n = 0; n < 2; n += 1) await outages.look()
  expect(await outages.list()).toMatchObject([{ serverName: 'n3', endedAt: null, containers: 2, moved: 0 }])
})

it('an outage ends when the server is removed, and nothing is asked without Swarm', async () => {
  await using lab = await openLab()
  const outages = lab.begin()
  lab.world.ready = ['n2']
  await outages.look()
  lab.world.known = ['n2']
  await outages.look()
  expect(await outages.list()).toMatchObject([{ serverName: 'n3', endedAt: expect.any(String), containers: 0 }])
  Object.assign(lab.world, { isSwarm: false, ready: [] })
  await outages.look()
  expect(await outages.list()).toHaveLength(1)
})
