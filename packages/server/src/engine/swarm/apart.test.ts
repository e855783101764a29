import { expect, it } from 'vitest'
import { labelsOf } from '../labels.ts'
import { crowdedReplicas, nodesToAvoid } from './apart.ts'
import { nodeOf } from './nodes.ts'
import { serviceOf, taskOf } from './service-state.ts'

type Placed = { on: string; deploymentId?: number; service?: string; state?: string; desired?: string; constraints?: string[] }

/** Services r1, r2, … of one app, each with its task. */
function release(placed: readonly Placed[]) {
  const services = placed.map(({ deploymentId = 7, service, constraints = [] }, index) =>
    serviceOf({
      ID: `r${index + 1}`,
      CreatedAt: `2026-01-01T00:00:0${index}Z`,
      Spec: {
        Name: `name-${index + 1}`,
        Labels: labelsOf({ instance: 'abc', kind: 'app', projectId: 2, appId: 4, deploymentId, ...(service !== undefined && { service }) }),
        TaskTemplate: { Placement: { Constraints: constraints } },
        Mode: { Replicated: { Replicas: 1 } },
      },
    }),
  )
  const tasks = placed.map(({ on, state = 'running', desired = 'running' }, index) =>
    taskOf({ ServiceID: `r${index + 1}`, NodeID: on, CreatedAt: '1', DesiredState: desired, Status: { State: state } }),
  )
  return { services, tasks }
}

const nodes = (...ids: string[]) => ids.map((id) => nodeOf({ ID: id, Spec: { Labels: { 'berth.label.fast': String(id === 'n3') } } }))
const crowdedIds = (placed: readonly Placed[], ...open: string[]) => crowdedReplicas(release(placed), nodes(...open)).map(({ id }) => id)

it('the newest of two replicas on one server is crowded while another server has none', () => {
  const [found] = crowdedReplicas(release([{ on: 'n2' }, { on: 'n2' }]), nodes('n2', 'n3'))
  expect(found).toMatchObject({ id: 'r2', name: 'name-2', owner: { appId: 4 }, replicas: ['r1', 'r2'], taken: ['n2'] })
  expect(crowdedIds([{ on: 'n2' }, { on: 'n2' }], 'n2')).toEqual([])
  expect(crowdedIds([{ on: 'n2' }, { on: 'n3' }], 'n2', 'n3')).toEqual([])
  expect(crowdedIds([{ on: 'n2' }], 'n2', 'n3')).toEqual([])
})

it('of several, one on the fullest server is moved, and none once each server has some', () => {
  expect(crowdedIds([{ on: 'n3' }, { on: 'n2' }, { on: 'n3' }, { on: 'n2' }, { on: 'n2' }], 'n2', 'n3', 'n4')).toEqual(['r5'])
  expect(crowdedIds([{ on: 'n2' }, { on: 'n2' }, { on: 'n3' }], 'n2', 'n3')).toEqual([])
})

it('one that may not run on the free server stays', () => {
  const onLabel = (label: string) => ({ on: 'n2', constraints: [`node.labels.berth.label.${label}==true`, 'node.id!=n9'] })
  expect(crowdedIds([onLabel('fast'), onLabel('fast')], 'n2', 'n3')).toEqual(['r2'])
  expect(crowdedIds([onLabel('ssd'), onLabel('ssd')], 'n2', 'n3')).toEqual([])
  const onServer = { on: 'n2', constraints: ['node.labels.berth.server==s2'] }
  expect(crowdedIds([onServer, onServer], 'n2', 'n3')).toEqual([])
})

it('nothing is moved while a replica of the release is on its way, and processes without visitors never', () => {
  expect(crowdedIds([{ on: 'n2' }, { on: 'n2' }, { on: '', state: 'pending' }], 'n2', 'n3')).toEqual([])
  expect(crowdedIds([{ on: 'n2' }, { on: 'n2', desired: 'shutdown' }], 'n2', 'n3')).toEqual([])
  expect(crowdedIds([{ on: 'n2' }, { on: 'n2', deploymentId: 8 }], 'n2', 'n3')).toEqual([])
  const worker = { on: 'n2', service: 'worker' }
  expect(crowdedIds([worker, worker], 'n2', 'n3')).toEqual([])
})

it('each replica avoids the nodes of the others, also of those that were started after it', () => {
  const on = (node: string, ...avoided: string[]) => ({
    on: node,
    constraints: ['node.labels.berth.checked==true', ...avoided.map((id) => `node.id!=${id}`)],
  })
  expect(nodesToAvoid(release([on('n2'), on('n3', 'n2')]))).toEqual([{ id: 'r1', avoided: ['n3'] }])
  expect(nodesToAvoid(release([on('n2', 'n3'), on('n3', 'n2')]))).toEqual([])
  expect(nodesToAvoid(release([on('n2', 'n3'), on('n2', 'n3')]))).toEqual([
    { id: 'r1', avoided: [] },
    { id: 'r2', avoided: [] },
  ])
  expect(nodesToAvoid(release([on('n2', 'n4', 'n3'), on('n3', 'n4', 'n2'), on('n4', 'n2', 'n3'), on('n4', 'n2', 'n3')]))).toEqual([])
  expect(nodesToAvoid(release([on('n2'), { ...on('n3'), state: 'pending' }]))).toEqual([])
})
