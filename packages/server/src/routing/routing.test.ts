import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { addDomain, containerOf, openRouting, openSlowly } from '../../testing/labs/routing-lab.ts'
import { EngineUnreachable } from '../engine/api/errors.ts'

it('a switch lists its own app in the engine once, and keeps the last known state of all others', async () => {
  await using world = await openRouting()
  const { engine, routing, map, db, one, two } = world
  expect(await routing.sync()).toBeUndefined()
  const at = await map('apps')
  expect(Object.values(at).sort()).toEqual(['10.0.0.1|80', '10.0.0.2|80'])

  engine.asked.length = 0
  engine.running.splice(1, 1, containerOf(two, '10.0.0.22'), containerOf({ ...one, deploymentId: 99 }, '10.0.0.11'))
  await addDomain(db, two.id, 'unheard.test')
  await routing.switchTo(one.id, { ip: '10.0.0.11', port: 80 })
  expect(engine.asked).toEqual([String(one.id)])
  expect(Object.values(await map('apps')).sort()).toEqual(['10.0.0.11|80!10.0.0.1|80', '10.0.0.2|80'])
  expect(Object.keys(await map('hosts')).sort()).toEqual(['one.test', 'two.test'])

  await routing.restore(one.id)
  expect(new Set(engine.asked)).toEqual(new Set([String(one.id)]))
  expect(await map('apps')).toEqual(at)

  await routing.sync() // the truth: everything is compared
  expect(engine.asked.at(-1)).toBeUndefined()
  expect(Object.values(await map('apps')).sort()).toEqual(['10.0.0.1|80', '10.0.0.22|80'])
  expect(Object.keys(await map('hosts')).sort()).toEqual(['one.test', 'two.test', 'unheard.test'])
})

it('a domain reaches the edge without a question to the engine, even while that does not answer', async () => {
  await using world = await openRouting()
  const { engine, routing, map, db, one } = world
  await routing.sync()
  engine.asked.length = 0
  const answers = Promise.withResolvers<void>()
  engine.holdWith(() => answers.promise)
  const waiting = routing.sync()
  await addDomain(db, one.id, 'new.test')
  routing.rowsChanged()
  await expect.poll(async () => Object.keys(await map('hosts')), { timeout: 20_000 }).toContain('new.test')
  expect(engine.asked).toEqual([undefined])
  answers.resolve()
  await waiting
})

it('hosts below the domain of generated names have neighbours, and others do not', async () => {
  await using lab = await openRouting()
  for (const host of ['shop.apps.test', 'x.shop.apps.test', 'apps.test', 'notapps.test', 'shop.example.test'])
    await addDomain(lab.db, lab.one.id, host)
  lab.wanted.markStale()
  const { apps } = await lab.wanted.read()
  const neighbours = apps.flatMap(({ hosts }) => hosts.filter(({ hasNeighbours }) => hasNeighbours).map(({ host }) => host))
  expect(neighbours.toSorted()).toEqual(['apps.test', 'shop.apps.test', 'x.shop.apps.test'])
})

it('an app that is being stopped gets its page at once, whatever its container does', async () => {
  await using world = await openRouting()
  const { engine, routing, map, db, one } = world
  await routing.sync()
  engine.asked.length = 0
  await db.transaction(async (tx) => {
    await tx.updateTable('app').set({ wanted: 'stopped' }).where('id', '=', one.id).execute()
  })
  routing.rowsChanged()
  await expect.poll(async () => Object.values(await map('apps')), { timeout: 20_000 }).toContain('stopped')
  expect(engine.asked).toEqual([])
})

it('a listing of all containers that started before a switch does not undo it by ending later', async () => {
  await using world = await openRouting()
  const { engine, routing, map, one } = world
  await routing.sync()
  const answers = Promise.withResolvers<void>()
  engine.holdWith(() => answers.promise)
  const older = routing.sync()
  await expect.poll(() => engine.asked.length).toBe(2)
  engine.holdWith(async () => undefined)
  engine.running.push(containerOf({ ...one, deploymentId: 99 }, '10.0.0.11'))
  await routing.switchTo(one.id, { ip: '10.0.0.11', port: 80 })
  answers.resolve()
  await older
  expect(Object.values(await map('apps'))).toContain('10.0.0.11|80!10.0.0.1|80')
})

it('changes that come at once wait in one queue, and share what follows the one under way', async () => {
  await using world = await openRouting()
  const { routing, reads, one, two } = world
  await routing.sync()
  const before = reads()
  await Promise.all(Array.from({ length: 20 }, async (_, n) => await routing.sync((n % 2 === 0 ? one : two).id)))
  expect(reads() - before).toBeLessThan(20)
})

it('the edge is not updated before all containers have been listed once', async () => {
  await using world = await openRouting()
  const { engine, routing, map, one, reads } = world
  const away = new EngineUnreachable('nobody listens')
  engine.holdWith(async () => {
    throw away
  })
  expect(await routing.sync()).toBe(away)
  routing.rowsChanged()
  expect(await routing.sync(one.id)).toBe(away)
  expect(reads()).toBe(0)
  engine.holdWith(async () => undefined)
  engine.running.push(containerOf({ ...one, deploymentId: 99 }, '10.0.0.11'))
  await routing.switchTo(one.id, { ip: '10.0.0.11', port: 80 })
  expect(new Set(engine.asked)).toEqual(new Set([undefined])) // the first look is at everything
  expect(Object.values(await map('apps')).sort()).toEqual(['10.0.0.11|80!10.0.0.1|80', '10.0.0.2|80'])
})

describe('of an app whose services have domains of their own', () => {
  it('a drain waits for the requests of each of them', async () => {
    await using world = await openRouting()
    const { engine, routing, one } = world
    const slow = await openSlowly(world)
    await using _backend = slow.backend
    await world.db.transaction(async (tx) => {
      await tx.updateTable('deployment').set({ main_service: 'web', image: '' }).where('id', '=', one.deploymentId).execute()
    })
    engine.running.splice(0, 1, containerOf(one, '10.0.0.1', 'web'), containerOf(one, '127.0.0.1', 'api'))
    await routing.sync()
    const { body } = await slow.request()
    const next = { ...one, deploymentId: 99 }
    engine.running.push(containerOf(next, '10.0.0.11', 'web'), containerOf(next, '10.0.0.12', 'api'))
    await routing.switchTo(one.id, { ip: '10.0.0.11', port: 80, services: new Map([['api', ['10.0.0.12']]]) })
    const drained = routing.drain(one.id, new AbortController().signal).then(() => slow.events.push('drained'))
    await sleep(1500) // far longer than a drain without requests takes
    slow.answer()
    expect(await body).toBe('late')
    await drained
    expect(slow.events).toEqual(['answered', 'drained'])
  })

  it('a release that is taken back finishes the requests of each of them', async () => {
    await using world = await openRouting()
    const { engine, routing, one } = world
    const slow = await openSlowly(world)
    await using _backend = slow.backend
    await routing.sync()
    const next = { ...one, deploymentId: 99 }
    engine.running.push(containerOf(next, '10.0.0.11', 'web'), containerOf(next, '127.0.0.1', 'api'))
    await routing.switchTo(one.id, { ip: '10.0.0.11', port: 80, services: new Map([['api', ['127.0.0.1']]]) })
    const { body } = await slow.request()
    const restored = routing.restore(one.id).then(() => slow.events.push('restored'))
    await sleep(1500)
    slow.answer()
    expect(await body).toBe('late')
    await restored
    expect(slow.events).toEqual(['answered', 'restored'])
  })

  it('the health check is that of the port of the app', async () => {
    await using world = await openRouting({ healthcheckPath: '/ready' })
    const { engine, routing, db, one, silent, probed } = world
    await db.transaction(async (tx) => {
      await tx.updateTable('deployment').set({ main_service: 'web', image: '' }).where('id', '=', one.deploymentId).execute()
    })
    await addDomain(db, one.id, 'admin.test', { service: 'web', port: 9000 })
    engine.running.splice(0, 1, containerOf(one, '10.0.0.1', 'web'), containerOf(one, '10.0.0.11', 'web'))
    await routing.sync()
    silent.add('10.0.0.11')
    await routing.lookAtReplicas()
    probed.clear()
    await routing.lookAtReplicas()
    expect([...probed].toSorted()).toEqual(['10.0.0.11:80/ready', '10.0.0.11:9000', '10.0.0.1:80', '10.0.0.1:9000'])
  })

  it('what a crash left running is found at the ports of the services too', async () => {
    await using world = await openRouting()
    const { engine, db, one } = world
    await addDomain(db, one.id, 'api.test', { service: 'api', port: 9000 })
    engine.running.push(containerOf({ ...one, deploymentId: 99 }, '10.0.0.12', 'api'))
    expect(await world.wanted.strays()).toContainEqual([{ ip: '10.0.0.12', port: 9000 }])
  })
})
