import { expect, it } from 'vitest'
import { addApp } from '../../../../../testing/harness/stored-app.ts'
import { openTestDatabase } from '../../../../../testing/harness/test-database.ts'
import { findAppData } from '../../../../domain/app-data.ts'
import type { Engine } from '../../../../engine/engine.ts'
import type { PlacedServer } from '../../../../engine/swarm/placement.ts'
import { createDataPlace } from './data-place.ts'

const mounts = [{ volume: 'v', path: '/data' }]
const open: PlacedServer = { nodeId: 'x', name: 'n2', isReady: true, isOpen: true }

/** An app, and a Swarm with the server `b`. */
async function openLab({ server = open, here = [], there = ['v'] }: { server?: PlacedServer; here?: string[]; there?: string[] } = {}) {
  const test = await openTestDatabase()
  const app = await addApp(test.db, 'a@example.test')
  const made: string[] = []
  const world = { server }
  const engine = {
    placement: { whyNot: () => '', isSwarm: async () => true, serverOf: async (id: string) => (id === 'b' ? world.server : undefined) },
    volumes: { list: async () => here.map((name) => ({ name })), ensure: async (name: string) => void made.push(`this ${name}`) },
    placedVolumes: {
      ensure: async (at: string, name: string) => void made.push(`${at} ${name}`),
      look: async (_at: object, name: string) => (there.includes(name) ? { name, isUsed: false } : undefined),
    },
  } as unknown as Engine // only what is called
  const places = createDataPlace({ db: test.db, engine, instance: 'i', now: () => new Date() })
  const context = (placement: string) =>
    ({
      app: { ...app, placement },
      signal: new AbortController().signal,
      ask: async (work: (signal: AbortSignal) => Promise<unknown>) => await work(new AbortController().signal),
      effect: async (_name: string, work: (signal: AbortSignal) => Promise<unknown>) => await work(new AbortController().signal),
    }) as unknown as Parameters<typeof places.of>[0] // what is read of it
  const recorded = async () => (await findAppData(test.db, app.id))?.server
  return { places, context, recorded, made, world, [Symbol.asyncDispose]: async () => await test[Symbol.asyncDispose]() }
}

it('what has no volumes has no place, and nothing is recorded', async () => {
  await using lab = await openLab()
  expect(await lab.places.of(lab.context('server:b'), [])).toBeUndefined()
  expect(await lab.recorded()).toBeUndefined()
})

it.each([
  ['', 'this'],
  ['this', 'this'],
  ['server:b', 'b'],
])('with the placement %j the data is on %s, whatever the placement says later', async (placement, server) => {
  await using lab = await openLab()
  const place = await lab.places.of(lab.context(placement), mounts)
  expect([place?.server, await lab.recorded()]).toEqual([server, server])
  for (const later of ['', 'this', 'server:b', 'server:c', 'label:x'])
    expect((await lab.places.of(lab.context(later), mounts))?.server).toBe(server)
  await lab.places.ensureVolumes(lab.context('this'), place, mounts)
  expect(lab.made).toEqual([`${server} v`])
})

it.each([
  [{}, 'label:x', 'Choose one server as its placement'],
  [{ here: ['v'] }, 'server:b', 'its data is on the server that Berth runs on'],
  [{}, 'server:c', 'the server c, which takes no containers now'],
  [{ server: { ...open, isOpen: false } }, 'server:b', 'the server n2, which takes no containers now'],
])('nothing is decided where the app cannot be (%j, %s)', async (world, placement, words) => {
  await using lab = await openLab(world)
  await expect(lab.places.of(lab.context(placement), mounts)).rejects.toThrow(words)
  expect(await lab.recorded()).toBeUndefined()
})

it('an app whose server is lost cannot be started, there or elsewhere', async () => {
  await using lab = await openLab()
  await lab.places.of(lab.context('server:b'), mounts)
  lab.world.server = { ...open, isReady: false, isOpen: false }
  await expect(lab.places.of(lab.context(''), mounts)).rejects.toThrow('It is not started elsewhere')
})

it('a volume of the live release that is gone is not made again', async () => {
  await using lab = await openLab({ there: [] })
  await lab.places.of(lab.context('server:b'), mounts)
  await expect(lab.places.refuseLost(lab.context('server:b'), mounts)).rejects.toThrow('is not on the server n2 any more')
  expect(lab.made).toEqual([])
})
