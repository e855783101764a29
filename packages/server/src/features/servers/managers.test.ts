import { expect, it } from 'vitest'
import { openFakeSwarm } from '../../../testing/harness/fake-swarm.ts'
import { SwarmUnavailable } from '../../engine/api/errors.ts'
import { makeManagers } from './managers.ts'

const WITHIN_MS = 2000
const LONG_MS = 20_000

async function openLab() {
  const fake = await openFakeSwarm('abc', ['one', 'two', 'three'])
  for (const id of ['one', 'two', 'three']) await fake.swarm.changeNode(id, { serverId: id })
  fake.changes.length = 0
  /** `fault` begins after the managers were read. */
  const set = async (wanted: readonly string[], fault = (): void => undefined, withinMs = WITHIN_MS) => {
    const nodes = await fake.swarm.nodes()
    fault()
    await makeManagers({ swarm: fake.swarm, nodes, wanted }, withinMs)
  }
  const managers = async () => (await fake.swarm.nodes()).filter(({ role }) => role === 'manager').map(({ id }) => id)
  return { ...fake, set, managers }
}

it('a moment without a leader, while managers are added or removed, is waited for', async () => {
  await using lab = await openLab()
  await lab.set(['one', 'two', 'three'], () => lab.loseLeader(/^(?:GET|POST) \/nodes/, 3), LONG_MS)
  expect(await lab.managers()).toEqual(['one', 'two', 'three'])
  await lab.set(['one'], () => lab.loseLeader(/^GET \/nodes$/, 3), LONG_MS)
  expect(await lab.managers()).toEqual(['one'])
})

it('the managers are as before if one does not become one', async () => {
  await using lab = await openLab()
  lab.deaf.add('three')
  await expect(lab.set(['one', 'two', 'three'])).rejects.toThrow(/^three did not become a manager .* The managers are as before\.$/)
  expect(await lab.managers()).toEqual(['one'])
  expect(lab.changes).toEqual(['two manager', 'three manager', 'three worker', 'two worker'])
})

it('the managers are as before if the leader stays away for the second one', async () => {
  await using lab = await openLab()
  lab.loseLeader(/^POST \/nodes\/three/, 5)
  await expect(lab.set(['one', 'two', 'three'])).rejects.toThrow(SwarmUnavailable)
  expect(await lab.managers()).toEqual(['one'])
})

it('says so if that is not possible', async () => {
  await using lab = await openLab()
  lab.deaf.add('three')
  const set = lab.set(['one', 'two', 'three'])
  await expect.poll(() => lab.changes).toContain('three manager')
  lab.loseLeader(/^POST \/nodes\/two/, 100)
  await expect(set).rejects.toThrow('two could not be made a worker again. Set the managers again')
  expect(await lab.managers()).toEqual(['one', 'two'])
})
