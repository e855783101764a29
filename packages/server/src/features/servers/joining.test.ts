import { expect, it } from 'vitest'
import { openFakeSwarm } from '../../../testing/harness/fake-swarm.ts'
import { openTestDatabase } from '../../../testing/harness/test-database.ts'
import type { Probed } from '../../engine/swarm/probe.ts'
import { isSwarmOn, setSwarmOn } from '../../store/swarm-fact.ts'
import { createChecking } from './checking.ts'
import { createCluster } from './cluster.ts'
import { createJoining } from './joining.ts'

const INSTANCE = 'abc'
const GOOD: Probed = {
  is: 'done',
  hasNoNewPrivileges: true,
  clockMs: 0,
  passes: true,
  isFull: true,
  reached: [],
  gossip: { tcp: 'open', udp: 'silent' },
}
const signal = new AbortController().signal
type Probe = (nodeId: string) => Promise<Probed>

/** Berth with its servers, as after a start: `begin` is another start with the same Swarm and database. */
async function openLab({ mustPull = false } = {}) {
  const fake = await openFakeSwarm(INSTANCE, ['one'], mustPull)
  const test = await openTestDatabase()
  const probed: string[] = []
  let left = 0
  function begin(probe: Probe = async () => GOOD) {
    const engine = {
      swarm: fake.swarm,
      agentImage: { nameOf: () => 'image', ensure: async () => 'image', contents: async () => Promise.reject(new Error('not asked for')) },
      probeServer: async ({ nodeId }: { nodeId: string }) => {
        probed.push(nodeId)
        return await probe(nodeId)
      },
      removeChecks: async () => void (left += 1),
    }
    const shared = { db: test.db, engine, instance: INSTANCE, now: () => new Date(), log: { info: () => undefined, warn: () => undefined } }
    const cluster = createCluster(shared)
    const controlPlane = () => ({ addresses: ['198.51.100.1'], ports: [8080] })
    const without = { trust: async () => undefined, lendImage: async () => undefined }
    const checking = createChecking({ ...shared, ...without, cluster, controlPlane })
    const joining = createJoining({ ...shared, ...without, cluster, controlPlane, onLook: checking.see })
    return { checking, joining }
  }
  return {
    ...fake,
    db: test.db,
    begin,
    probed,
    tidied: () => left,
    joins: async () => await test.db.selectFrom('audit').select('after').where('action', '=', 'server.join').execute(),
    async [Symbol.asyncDispose](): Promise<void> {
      await test[Symbol.asyncDispose]()
      await fake[Symbol.asyncDispose]()
    },
  }
}

it('a server that joined is in the audit log before it gets its id, and its token is replaced before that', async () => {
  await using lab = await openLab()
  const { joining } = lab.begin()
  await joining.watch()
  lab.join('two')
  const token = lab.token()
  lab.loseLeader(/^POST \/nodes/, 100)
  await expect(joining.watch()).rejects.toThrow('does not have a leader')
  expect(lab.token()).not.toBe(token)
  expect(await lab.joins()).toHaveLength(1)
  expect(lab.labelsOf('two')).toEqual({})
})

it('a restart between the join and the check does not lose the check', async () => {
  await using lab = await openLab()
  lab.join('two')
  await lab.begin().joining.watch()
  const { checking, joining } = lab.begin()
  await checking.checkWaiting(signal)
  expect(lab.probed).toEqual([]) // before the first look
  await joining.watch()
  for (let turn = 0; turn < 2; turn += 1) await checking.checkWaiting(signal)
  expect(lab.probed).toEqual(['two'])
  expect(lab.tidied()).toBe(1)
  expect(lab.labelsOf('two')['berth.checked']).toBe('true')
  const again = lab.begin()
  await again.joining.watch()
  await again.checking.checkWaiting(signal)
  expect(lab.probed).toEqual(['two'])
})

it('a server that vanished, or whose check fails, does not keep others from being checked', async () => {
  await using lab = await openLab()
  for (const id of ['two', 'three', 'four']) lab.join(id)
  const { checking, joining } = lab.begin(async (nodeId) => (nodeId === 'three' ? Promise.reject(new Error('broken')) : GOOD))
  await joining.watch()
  lab.vanish('two')
  for (let turn = 0; turn < 2; turn += 1) await checking.checkWaiting(signal)
  expect(lab.probed).toEqual(['three', 'four'])
})

it('a used token is replaced while a check runs, and nothing is checked once Swarm is off', async () => {
  await using lab = await openLab()
  lab.join('two')
  const probing = Promise.withResolvers<Probed>()
  const { checking, joining } = lab.begin(async () => await probing.promise)
  await joining.watch()
  const checks = checking.checkWaiting(signal)
  await expect.poll(() => lab.probed).toEqual(['two'])
  lab.join('three')
  const token = lab.token()
  await joining.watch()
  expect(lab.token()).not.toBe(token)
  probing.resolve(GOOD)
  await checks
  lab.switchOff()
  await joining.watch()
  await checking.checkWaiting(signal)
  expect(lab.probed).toEqual(['two'])
})

it('what an earlier check found stays if only the image is missing', async () => {
  await using lab = await openLab()
  lab.join('two')
  let answer: Probed = GOOD
  const { checking, joining } = lab.begin(async () => answer)
  await joining.watch()
  await checking.checkWaiting(signal)
  const serverId = lab.labelsOf('two')['berth.server'] ?? ''
  answer = { is: 'without image' }
  await checking.check(serverId, signal)
  expect(checking.checkedOf(serverId).checks.at(-1)?.level).toBe('problem')
  expect(lab.labelsOf('two')['berth.checked']).toBe('true')
  answer = { ...GOOD, hasNoNewPrivileges: false }
  await checking.check(serverId, signal)
  expect(lab.labelsOf('two')).not.toHaveProperty('berth.checked')
})

it('a check whose result could not be stored is made again', async () => {
  await using lab = await openLab()
  lab.join('two')
  const { checking, joining } = lab.begin()
  await joining.watch()
  lab.loseLeader(/^POST \/nodes/, 1)
  await checking.checkWaiting(signal)
  expect(lab.labelsOf('two')).not.toHaveProperty('berth.checked')
  await checking.checkWaiting(signal)
  expect(lab.labelsOf('two')['berth.checked']).toBe('true')
})

it('whether the Swarm is ours is in the database, also if another control plane switched it on or off', async () => {
  await using lab = await openLab()
  const { joining } = lab.begin()
  lab.switchOff()
  await joining.watch()
  expect(await isSwarmOn(lab.db)).toBe(false)
  lab.switchOn()
  await joining.watch()
  expect(await isSwarmOn(lab.db)).toBe(false) // with one server it is not asked again
  await setSwarmOn(lab.db, true)
  lab.join('two')
  await joining.watch()
  expect(await lab.joins()).toHaveLength(1)
  lab.switchOff()
  await joining.watch()
  expect(await isSwarmOn(lab.db)).toBe(false)
})

it('a server keeps what runs there when a check finds something passing, and not when it is not safe there', async () => {
  await using lab = await openLab()
  lab.join('two')
  let probed: Probed = GOOD
  const { checking, joining } = lab.begin(async () => await Promise.resolve(probed))
  await joining.watch()
  await checking.checkWaiting(signal)
  const serverId = lab.labelsOf('two')['berth.server'] ?? ''
  const isChecked = () => lab.labelsOf('two')['berth.checked'] === 'true'
  for (const [now, kept] of [
    [{ ...GOOD, isFull: false }, true],
    [{ is: 'failed', reason: 'it is slow' }, true],
    [{ ...GOOD, reached: ['198.51.100.1:8080'] }, false],
    [{ ...GOOD, clockMs: 3_600_000 }, false],
    [GOOD, true],
    [{ ...GOOD, hasNoNewPrivileges: false }, false],
  ] as const) {
    probed = now
    await checking.check(serverId, signal)
    expect(isChecked()).toBe(kept)
  }
})

it('a server that was down is checked again once it is back: a reboot may have lost its firewall rules', async () => {
  await using lab = await openLab()
  lab.join('two')
  const { checking, joining } = lab.begin()
  const look = async () => {
    await joining.watch()
    await checking.checkWaiting(signal)
  }
  await look()
  lab.setReady('two', false)
  for (let turn = 0; turn < 2; turn += 1) await look()
  expect(lab.probed).toEqual(['two'])
  lab.setReady('two', true)
  for (let turn = 0; turn < 2; turn += 1) await look()
  expect(lab.probed).toEqual(['two', 'two'])
})

it('a server that passed before images came from this Berth is checked once more', async () => {
  await using lab = await openLab({ mustPull: true })
  lab.join('two')
  await lab.swarm.changeNode('two', { serverId: 's2' })
  Object.assign(lab.labelsOf('two'), { 'berth.checked': 'true' })
  const { joining, checking } = lab.begin()
  await joining.watch()
  await checking.checkWaiting(signal)
  expect(lab.probed).toEqual(['two'])
  expect(lab.labelsOf('two')).toMatchObject({ 'berth.checked': 'true', 'berth.pulls': 'true' })
  await joining.watch()
  await checking.checkWaiting(signal)
  expect(lab.probed).toEqual(['two'])
})

it('limits what a Swarm keeps that an earlier Berth has switched on, once', async () => {
  await using lab = await openLab()
  await lab.begin().joining.watch()
  expect(lab.settings()).toEqual({
    Labels: { 'berth.instance': INSTANCE },
    Orchestration: { TaskHistoryRetentionLimit: 2 },
    Raft: { SnapshotInterval: 50, LogEntriesForSlowFollowers: 10 },
  })
  await lab.begin().joining.watch()
  expect(lab.changes.filter((change) => change === 'settings')).toHaveLength(1)
})
