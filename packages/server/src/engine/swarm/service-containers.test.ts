import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { ServiceCalls } from './service-calls.ts'
import { createServiceContainers } from './service-containers.ts'
import { serviceOf, type Task, taskOf } from './service-state.ts'

const labels = { 'berth.instance': 'abc', 'berth.app': '4' }
const unused = async () => await Promise.reject(new Error('not asked for'))

/** One service that was told to stop, with a task that Swarm still says runs. */
function openLab({ ready, tasks = [taskAt(1, 'shutdown', 'n2')] }: { ready: readonly string[]; tasks?: Task[] }) {
  let [replicas, lists] = [0, 0]
  const found = () => ({
    service: serviceOf({ ID: 's1', Spec: { Name: 'x', Labels: labels, Mode: { Replicated: { Replicas: replicas } } } }),
    tasks: [...tasks],
  })
  const calls: ServiceCalls = {
    list: async () => {
      lists += 1
      return { services: [found().service], tasks: found().tasks }
    },
    services: async () => [found().service],
    inspect: async () => found(),
    create: unused,
    storedSpec: unused,
    remove: async () => void tasks.push(taskAt(9, `removed beside ${tasks.length}`, '')),
    change: async (_id, change) => {
      if (change.replicas === 1 && replicas === 0) tasks.push(taskAt(2, 'running', 'n3'))
      replicas = change.replicas ?? replicas
    },
  }
  const services = createServiceContainers({
    calls,
    openNodes: async () => [],
    readyNodes: async () => new Set(ready),
    namesOf: async () => new Map(),
    published: unused,
    credentials: async () => undefined,
    mustPull: () => false,
    networkOf: unused,
    ensureFiles: unused,
    dataServerOf: async () => undefined,
    passDataGate: async () => undefined,
    ranOutOfMemory: async ({ instance, nodeId }, containerId) => [instance, nodeId, containerId].join() === 'abc,n2,c2',
    now: () => new Date(),
  })
  return { services, replicas: () => replicas, lists: () => lists, tasks }
}

function taskAt(second: number, desired: string, nodeId: string) {
  const at = `2026-01-01T00:00:0${second}Z`
  return taskOf({ ServiceID: 's1', NodeID: nodeId, CreatedAt: at, DesiredState: desired, Status: { State: 'running', Timestamp: at } })
}

it('one that was stopped while its server is lost has stopped', async () => {
  const { services } = openLab({ ready: ['n1', 'n3'] })
  await services.stop('s1', 1)
  expect(await services.inspect('s1')).toMatchObject({ state: 'exited' })
  expect(await services.list({ labels })).toMatchObject([{ state: 'exited' }])
})

it('one that is still ending on a server that answers has not', async () => {
  const { services } = openLab({ ready: ['n1', 'n2', 'n3'] })
  expect(await services.inspect('s1')).toMatchObject({ state: 'running' })
})

it.each([[['n1', 'n3']], [['n1', 'n2', 'n3']]])(
  'one that was stopped is started again, also while its old task is said to run (%s)',
  async (ready) => {
    const { services, replicas } = openLab({ ready })
    await services.startAgain('s1')
    expect(replicas()).toBe(1)
    expect(await services.inspect('s1')).toMatchObject({ state: 'running' })
  },
)

it.each([
  [137, 'c2', true],
  [137, 'c1', false],
  [1, 'c2', false],
])('one that ended with %i is asked about at its server (%s)', async (ExitCode, ContainerID, oomKilled) => {
  const Status = { State: 'failed', ContainerStatus: { ExitCode, ContainerID } }
  const tasks = [taskOf({ ServiceID: 's1', NodeID: 'n2', CreatedAt: '2026-01-01T00:00:01Z', DesiredState: 'shutdown', Status })]
  const { services } = openLab({ ready: ['n2'], tasks })
  expect(await services.inspect('s1')).toMatchObject({ exitCode: ExitCode, oomKilled })
})

it('one that was stopped is removed once Swarm has no task of it any more', async () => {
  const { services, tasks } = openLab({ ready: ['n2'], tasks: [taskAt(1, 'remove', 'n2')] })
  const removed = services.remove('s1')
  await sleep(300)
  expect(tasks).toHaveLength(1)
  tasks.pop()
  await removed
  expect(tasks[0]?.desired).toBe('removed beside 0')
})

it('what to keep apart and what to free is seen in one list', async () => {
  const { services, lists } = openLab({ ready: ['n2'] })
  await services.keepApart(labels, async () => true)
  expect(lists()).toBe(1)
})
