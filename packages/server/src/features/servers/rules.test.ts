import { describe, expect, it } from 'vitest'
import type { SwarmNode } from '../../engine/swarm/nodes.ts'
import {
  troubleOf,
  troubleOfManagers,
  whyNotAvailable,
  whyNotChecked,
  whyNotDrained,
  whyNotDrainedAsEdge,
  whyNotEdge,
  whyNotManagers,
  whyNotRemoved,
} from './rules.ts'

function node(change: Partial<SwarmNode> = {}): SwarmNode {
  return {
    id: 'node2',
    serverId: 's2',
    isChecked: true,
    isEdge: false,
    name: 'two',
    address: '198.51.100.2',
    role: 'worker',
    isLeader: false,
    actsAs: 'worker',
    isReady: true,
    availability: 'active',
    engine: '20.10.24',
    cores: 2,
    memoryBytes: 1,
    labels: [],
    message: '',
    ...change,
  }
}
const here = node({ id: 'node1', serverId: 's1', name: 'one', role: 'manager', actsAs: 'manager' })

describe('a server', () => {
  it.each<[string, Partial<SwarmNode>, number, string | undefined]>([
    ['a manager is made a worker first', { role: 'manager' }, 0, 'two is a manager. Make it a worker first.'],
    ['one in use is drained first', {}, 0, 'Drain two first, so that what runs there is moved to other servers.'],
    ['a drained one is waited for', { availability: 'drain' }, 1, 'two still runs a container. Wait until they have been moved.'],
    ['a drained, empty one goes', { availability: 'drain' }, 0, undefined],
    ['one that is down goes, whatever ran there', { isReady: false }, 3, undefined],
    ['a manager that is down does not', { isReady: false, role: 'manager' }, 0, 'two is a manager. Make it a worker first.'],
  ])('is removed: %s', (_name, change, containers, sentence) => {
    expect(whyNotRemoved(node(change), { hereId: 'node1', containers })).toBe(sentence)
  })

  it('with data of apps stays, unless it is lost', () => {
    const given = { hereId: 'node1', containers: 0, withData: ['store'] }
    expect(whyNotRemoved(node({ availability: 'drain' }), given)).toContain('The data of store is on two. Move it first')
    expect(whyNotRemoved(node({ isReady: false }), given)).toBeUndefined()
  })

  it('with Berth on it is neither removed nor drained nor checked', () => {
    expect(whyNotRemoved(here, { hereId: 'node1', containers: 0 })).toContain('Berth runs on this server')
    expect(whyNotAvailable(here, 'node1', 'drain')).toContain('cannot be drained or paused')
    expect(whyNotAvailable(here, 'node1', 'active')).toBeUndefined()
    expect(whyNotAvailable(node(), 'node1', 'drain')).toBeUndefined()
    expect(whyNotChecked(here, 'node1')).toContain('berth doctor')
  })

  it('that takes no containers, or is down, cannot be checked', () => {
    expect(whyNotChecked(node({ availability: 'pause' }), 'node1')).toContain('Activate it first')
    expect(whyNotChecked(node({ isReady: false }), 'node1')).toBe('two is down, so it cannot be checked.')
    expect(whyNotChecked(node(), 'node1')).toBeUndefined()
  })

  it.each<[Partial<SwarmNode>, string | undefined]>([
    [{}, undefined],
    [{ availability: 'pause' }, undefined],
    [{ isReady: false }, 'two is down'],
    [{ isChecked: false }, 'Check it first'],
    [{ availability: 'drain' }, 'Activate it first'],
  ])('whose edge is switched on can get it there: %j', (change, words) => {
    const whyNot = whyNotEdge(node(change), 'node1', true)
    expect(words === undefined ? whyNot : whyNot?.includes(words)).toBe(words === undefined ? undefined : true)
    expect(whyNotEdge(node(change), 'node1', false)).toBeUndefined()
  })

  it('with Berth on it always has its edge, and another one is not drained while its edge is on', () => {
    expect(whyNotEdge(here, 'node1', false)).toContain('always on')
    expect(whyNotDrainedAsEdge(node({ isEdge: true }))).toContain('Take its address out of your DNS')
    expect(whyNotDrainedAsEdge(node())).toBeUndefined()
  })

  it('says what is wrong with it', () => {
    expect(troubleOf(node())).toBe('')
    expect(troubleOf(node({ isReady: false, message: 'heartbeat failure' }))).toMatch(/^It does not answer\. Check that it is switched on/)
    expect(troubleOf(node({ isReady: false, message: 'node is shutting down' }))).toContain('(node is shutting down)')
    expect(troubleOf(node({ role: 'manager', actsAs: 'unreachable manager' }))).toContain('2377/tcp')
  })
})

describe('managers', () => {
  const nodes = [
    here,
    node(),
    node({ id: 'node3', serverId: 's3', name: 'three' }),
    node({ id: 'node4', serverId: 's4', name: 'four', isReady: false }),
  ]

  it.each([[['s1']], [['s1', 's2', 's3']]])('are one or three: %j', (ids) => {
    expect(whyNotManagers(nodes, 'node1', ids)).toBeUndefined()
  })

  it.each([
    [['s1', 's2'], 'With two'],
    [[], 'With two'],
    [['s2'], 'must stay a manager'],
    [['s1', 's2', 's4'], 'four is down'],
  ] as const)('are not %j', (ids, words) => expect(whyNotManagers(nodes, 'node1', ids)).toContain(words))

  it('are two after a change that was interrupted, which is said', () => {
    const manager = node({ role: 'manager' })
    expect(troubleOfManagers([here, manager, node()])).toContain('two managers')
    expect(troubleOfManagers([here, node()])).toBe('')
    expect(troubleOfManagers([here, manager, manager])).toBe('')
  })

  it('may keep one that is down, so that the others can be changed', () => {
    const lost = nodes.map((each) => (each.serverId === 's4' ? { ...each, role: 'manager' as const } : each))
    expect(whyNotManagers(lost, 'node1', ['s1', 's2', 's4'])).toBeUndefined()
  })
})

it('the last server that can run apps is not drained while it runs some', () => {
  const [first, second, third] = [{ ...here, isChecked: false }, node({ id: 'b' }), node({ id: 'c' })]
  expect(whyNotDrained(second, [first, second, third], ['shop'])).toBeUndefined()
  expect(whyNotDrained(second, [first, second], [])).toBeUndefined()
  for (const closed of [{ isReady: false }, { isChecked: false }, { availability: 'pause' as const }])
    expect(whyNotDrained(second, [first, second, { ...third, ...closed }], ['blog', 'shop'])).toBe(
      `Only ${second.name} can run blog, shop now. Pause it and deploy them again, on the first server. Then drain it.`,
    )
})
