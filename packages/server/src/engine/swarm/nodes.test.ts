import { expect, it } from 'vitest'
import { changedSpec, constraintsOf, nodeOf } from './nodes.ts'

const spec = {
  Role: 'worker',
  Availability: 'drain',
  Labels: { zone: 'theirs', 'berth.server': 'a1', 'berth.label.ssd': 'true', 'berth.checked': 'true' },
}

it('reads a node', () => {
  const value = {
    ID: 'x',
    Spec: spec,
    Description: { Hostname: 'two\u001b[2J', Resources: { NanoCPUs: 2e9, MemoryBytes: 1024 }, Engine: { EngineVersion: '20.10.24' } },
    Status: { State: 'ready', Addr: '198.51.100.2' },
  }
  expect(nodeOf(value)).toEqual({
    id: 'x',
    serverId: 'a1',
    isChecked: true,
    isEdge: false,
    name: 'two',
    address: '198.51.100.2',
    role: 'worker',
    isLeader: false,
    actsAs: 'worker',
    isReady: true,
    availability: 'drain',
    engine: '20.10.24',
    cores: 2,
    memoryBytes: 1024,
    labels: ['ssd'],
    message: '',
  })
  const manager = { ...value, ManagerStatus: { Leader: true, Reachability: 'reachable', Addr: '198.51.100.9:2377' } }
  expect(nodeOf(manager)).toMatchObject({ isLeader: true, actsAs: 'manager', address: '198.51.100.9' })
  expect(nodeOf({ ...manager, ManagerStatus: { Reachability: 'unreachable' } }).actsAs).toBe('unreachable manager')
  expect(nodeOf({ Status: { State: 'down' } })).toMatchObject({ isReady: false, serverId: '', isChecked: false, availability: 'active' })
  const loud = nodeOf({
    Description: { Engine: { EngineVersion: `29\u001b[2J${'.1'.repeat(200)}` } },
    Status: { Message: 'x'.repeat(1e6) },
  })
  expect(loud.engine).toMatch(/^29(?:\.1){49}$/)
  expect(loud.message.length).toBeLessThan(1000)
})

it('changes what it is told to, and leaves the labels of others', () => {
  expect(changedSpec(spec, { availability: 'active' })).toEqual({ ...spec, Availability: 'active' })
  expect(changedSpec(spec, { labels: ['big'] })['Labels']).toEqual({
    zone: 'theirs',
    'berth.server': 'a1',
    'berth.checked': 'true',
    'berth.label.big': 'true',
  })
  expect(changedSpec(spec, { isChecked: false, role: 'manager' })).toEqual({
    Role: 'manager',
    Availability: 'drain',
    Labels: { zone: 'theirs', 'berth.server': 'a1', 'berth.label.ssd': 'true' },
  })
  expect(changedSpec({}, { serverId: 'b2' })).toEqual({ Labels: { 'berth.server': 'b2' } })
})

it('the edge of a node is switched on and off, and stays as it is with other changes', () => {
  const on = changedSpec(spec, { isEdge: true })
  expect(nodeOf({ Spec: on })).toMatchObject({ isEdge: true, isChecked: true, labels: ['ssd'] })
  expect(nodeOf({ Spec: changedSpec(on, { isChecked: false, labels: [] }) })).toMatchObject({ isEdge: true, isChecked: false, labels: [] })
  expect(changedSpec(on, { isEdge: false })).toEqual(spec)
})

it('a check counts only with a pull where images come from this Berth', () => {
  expect(nodeOf({ Spec: spec }).isChecked).toBe(true)
  expect(nodeOf({ Spec: spec }, true).isChecked).toBe(false)
  const passed = changedSpec(spec, { isChecked: true }, true)
  expect(nodeOf({ Spec: passed }, true).isChecked).toBe(true)
  expect(nodeOf({ Spec: changedSpec(passed, { isChecked: true }) }, true).isChecked).toBe(true)
  expect(changedSpec(passed, { isChecked: false })['Labels']).not.toHaveProperty('berth.pulls')
  expect(constraintsOf({})).toEqual(['node.labels.berth.checked==true'])
  expect(constraintsOf({ label: 'ssd' }, true)).toEqual([
    'node.labels.berth.checked==true',
    'node.labels.berth.pulls==true',
    'node.labels.berth.label.ssd==true',
  ])
})
