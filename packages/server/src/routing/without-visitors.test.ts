import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { containerOf, openRouting, openSlowly } from '../../testing/labs/routing-lab.ts'

const LONGER_THAN_A_DRAIN_MS = 1500

it('one replica keeps its visitors until another one answers', async () => {
  await using world = await openRouting()
  const { engine, routing, map, one, silent } = world
  engine.running.push(containerOf(one, '10.0.0.11'))
  await routing.sync()
  silent.add('10.0.0.11') // as one that was restarted and listens, but is not ready
  await routing.lookAtReplicas()
  const routed: (string | undefined)[] = []
  const note = async () => void routed.push((await map('apps'))[`app-${one.id}`])
  const done = routing.withoutVisitors(one.id, '10.0.0.1', note)
  await sleep(LONGER_THAN_A_DRAIN_MS)
  expect(routed).toEqual([])
  await note()
  silent.clear()
  await done
  await note()
  expect(routed).toEqual(['10.0.0.1|80', '10.0.0.11|80', expect.stringMatching(/\/2$/)])
})

it('one that may have been restarted gets visitors only when it answers', async () => {
  await using world = await openRouting()
  const { engine, routing, map, one, silent } = world
  engine.running.push(containerOf(one, '10.0.0.11'))
  await routing.sync()
  await routing.withoutVisitors(one.id, '10.0.0.1', async () => void silent.add('10.0.0.1'))
  expect((await map('apps'))[`app-${one.id}`]).toBe('10.0.0.11|80')
})

it('the work does not begin while the container gets visitors again because the other one fails', async () => {
  await using world = await openRouting()
  const { engine, routing, one, silent } = world
  const slow = await openSlowly(world)
  await using _backend = slow.backend
  engine.running.splice(0, 1, containerOf(one, '127.0.0.1', 'api'), containerOf(one, '127.0.0.2', 'api'))
  await routing.sync()
  silent.add('127.0.0.2')
  await routing.lookAtReplicas()
  const { body } = await slow.request()
  silent.clear()
  const done = routing.withoutVisitors(one.id, '127.0.0.1', async () => void slow.events.push('worked'))
  await sleep(LONGER_THAN_A_DRAIN_MS)
  expect(slow.events).toEqual([])
  silent.add('127.0.0.2')
  await routing.lookAtReplicas()
  slow.answer()
  expect(await body).toBe('late')
  await sleep(LONGER_THAN_A_DRAIN_MS)
  expect(slow.events).toEqual(['answered'])
  silent.clear()
  await routing.lookAtReplicas()
  await done
  expect(slow.events).toEqual(['answered', 'worked'])
})
