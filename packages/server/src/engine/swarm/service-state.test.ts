import { describe, expect, it } from 'vitest'
import { labelsOf } from '../labels.ts'
import { changedService, detailsOfService, serviceOf, stateOf, summaryOfService, taskOf, tasksOf } from './service-state.ts'

const NOW = new Date('2026-01-01T00:01:00Z')
const service = serviceOf({
  ID: 's1',
  CreatedAt: '2026-01-01T00:00:00Z',
  Spec: {
    Name: 'berth-abc-app-4-d7-r2',
    Labels: labelsOf({ instance: 'abc', kind: 'app', projectId: 2, appId: 4, deploymentId: 7, replica: 2 }),
    TaskTemplate: {
      ContainerSpec: { Image: 'r/x@sha256:1', StopGracePeriod: 3e9 },
      Placement: { Constraints: ['node.labels.berth.checked==true', 'node.id!=n9'] },
    },
    Mode: { Replicated: { Replicas: 1 } },
  },
})

type Seen = { state: string; desired?: string; second?: number; exitCode?: number; error?: string }

function task({ state, desired = 'running', second = 0, exitCode = 0, error = '' }: Seen) {
  const at = `2026-01-01T00:00:${String(second).padStart(2, '0')}Z`
  return taskOf({
    ServiceID: 's1',
    NodeID: `n${second}`,
    CreatedAt: at,
    DesiredState: desired,
    Status: { State: state, Timestamp: at, ContainerStatus: { ExitCode: exitCode }, Err: error },
    NetworksAttachments: [{ Addresses: [`10.232.0.${second + 2}/24`] }],
  })
}

const seen = (...tasks: Seen[]) => tasksOf(service, tasks.map(task))

it('is a container that runs where its task runs, with the address of that', () => {
  const own = seen({ state: 'failed', desired: 'shutdown', exitCode: 3 }, { state: 'running', second: 5 })
  expect(summaryOfService(service, own, NOW)).toMatchObject({
    id: 's1',
    state: 'running',
    status: 'Up 55 seconds',
    nodeId: 'n5',
    ips: { 'berth-abc-project-2': '10.232.0.7' },
    owner: { appId: 4, deploymentId: 7, replica: 2 },
  })
  expect(detailsOfService(service, own, NOW)).toMatchObject({ restartCount: 1, exitCode: null, stopGraceSeconds: 3 })
})

describe('its state', () => {
  it.each([
    ['restarting', [{ state: 'preparing' }]],
    ['restarting', []],
    [
      'restarting',
      [
        { state: 'failed', desired: 'shutdown' },
        { state: 'pending', second: 1 },
      ],
    ],
    ['exited', [{ state: 'failed', desired: 'shutdown' }]],
    ['exited', [{ state: 'rejected', desired: 'shutdown' }]],
    // its server was drained or lost: the new one does not run yet, and the old one is not wanted any more
    [
      'restarting',
      [
        { state: 'running', desired: 'shutdown' },
        { state: 'starting', second: 1 },
      ],
    ],
    [
      'running',
      [
        { state: 'shutdown', desired: 'shutdown' },
        { state: 'running', second: 1 },
      ],
    ],
  ] as const)('is %s', (state, tasks) => {
    expect(stateOf(service, seen(...tasks))).toBe(state)
  })

  it('is exited once it was stopped and has ended', () => {
    expect(stateOf({ replicas: 0 }, seen({ state: 'running', desired: 'shutdown' }))).toBe('running')
    expect(stateOf({ replicas: 0 }, seen({ state: 'shutdown', desired: 'shutdown' }))).toBe('exited')
    expect(stateOf({ replicas: 0 }, [])).toBe('exited')
  })
})

it('has no address before it runs, and says what it waits for', () => {
  const own = seen({ state: 'shutdown', desired: 'shutdown' }, { state: 'pending', second: 1, error: 'no suitable node' })
  expect(detailsOfService(service, own, NOW)).toMatchObject({ ips: {}, status: 'Waiting for a server: no suitable node' })
  expect(summaryOfService(service, own, NOW)).toMatchObject({ waitingSince: '2026-01-01T00:00:01Z' })
})

it('still answers at its last address until its successor runs, but not once it is to be stopped', () => {
  const leaving = { state: 'running', desired: 'shutdown', second: 1 }
  const lastIps = { 'berth-abc-project-2': '10.232.0.3' }
  expect(summaryOfService(service, seen(leaving, { state: 'starting', second: 5 }), NOW)).toMatchObject({ ips: {}, lastIps })
  expect(summaryOfService(service, seen(leaving, { state: 'running', second: 5 }), NOW)).not.toHaveProperty('lastIps')
  expect(summaryOfService({ ...service, replicas: 0 }, seen(leaving), NOW)).not.toHaveProperty('lastIps')
})

it('changes only what it is told to', () => {
  const spec = {
    Name: 'x',
    TaskTemplate: { ForceUpdate: 2, Placement: { Constraints: ['node.labels.berth.checked==true', 'node.id!=n9'] } },
  }
  expect(changedService(spec, { replicas: 0 })).toEqual({ ...spec, Mode: { Replicated: { Replicas: 0 } } })
  expect(changedService(spec, { isAnew: true, isFree: true })).toEqual({
    Name: 'x',
    TaskTemplate: { ForceUpdate: 3, Placement: { Constraints: ['node.labels.berth.checked==true'] } },
  })
  const moved = changedService(spec, { isAnew: true, avoided: ['n1', 'n2'] })
  expect(moved).toMatchObject({
    TaskTemplate: { ForceUpdate: 3, Placement: { Constraints: ['node.labels.berth.checked==true', 'node.id!=n1', 'node.id!=n2'] } },
  })
  expect(service.avoided).toEqual(['n9'])
})

describe('one with data', () => {
  const answers = { name: 'n2', isLost: false, why: '' }
  const lost = { name: 'n2', isLost: true, why: 'the server n2, which has its data, does not answer' }
  const closed = { ...lost, isLost: false }
  const runs = { state: 'running' }
  const failed = { state: 'failed', desired: 'shutdown', exitCode: 1 }
  it.each([
    ['runs on a server that answers', [runs], answers, 'running', false],
    ['waits while it is lost, whatever Swarm says', [runs], lost, 'restarting', true],
    ['runs on while it takes nothing new', [runs], closed, 'running', false],
    ['waits there after it has ended', [failed], closed, 'restarting', true],
    ['is started again after a failure', [failed], answers, 'exited', false],
  ] as const)('%s', (...[, tasks, server, state, waits]) => {
    const details = detailsOfService(service, seen(...tasks), NOW, server)
    expect([details.state, details.waitsFor]).toEqual([state, waits ? server.why : undefined])
    const summary = summaryOfService(service, seen(...tasks), NOW, server)
    expect(summary).toMatchObject({ state, dataServer: 'n2', hasFailed: state === 'exited' })
    expect(summary.waitingSince).toBeUndefined() // it is never brought home
  })

  /** As Swarm has it after starts at these seconds of the minute. */
  function startedAt(...seconds: number[]) {
    const label = (spec: unknown) => (spec as { Labels: Record<string, string> }).Labels // what we have just made
    const starts = seconds.map((second) => Date.parse(`2026-01-01T00:00:${second}Z`))
    const spec = starts.reduce<unknown>((before, startedAgain) => changedService(before, { isAnew: true, startedAgain }), {
      Labels: { kept: 'yes' },
    })
    return { ...service, startedAgain: serviceOf({ Spec: spec }).startedAgain, labels: label(spec) }
  }

  it.each([
    ['waits a little after many starts', [40, 43, 46], 49, 'restarting'],
    ['is started again after that', [10, 13, 16], 19, 'exited'],
    ['is started again after few', [43, 46], 49, 'exited'],
  ] as const)('%s, of which Swarm knows only the last end', (_what, starts, second, state) => {
    expect(detailsOfService(startedAt(...starts), seen({ ...failed, second }), NOW, answers).state).toBe(state)
  })

  it('remembers its last starts beside its other labels', () => {
    const { labels, startedAgain } = startedAt(10, 20, 30, 40)
    expect(labels).toEqual({ kept: 'yes', 'berth.starts': startedAgain.join() })
    expect(startedAgain.map((at) => new Date(at).getUTCSeconds())).toEqual([20, 30, 40])
  })
})
