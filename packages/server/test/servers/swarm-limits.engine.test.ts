import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { field } from '../../src/engine/api/json.ts'
import { createTransport } from '../../src/engine/api/transport.ts'
import type { ContainerSpec } from '../../src/engine/container-spec.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { containerName, labelsOf } from '../../src/engine/labels.ts'
import { createServiceCalls } from '../../src/engine/swarm/service-calls.ts'
import { serviceRequest } from '../../src/engine/swarm/service-spec.ts'
import { detailsOfService, tasksOf } from '../../src/engine/swarm/service-state.ts'
import { openSwarmBed } from '../../testing/harness/swarm-bed.ts'
import { BUSYBOX_IMAGE, ensureBusybox } from '../../testing/images/test-images.ts'

const INSTANCE = 'abc'
/** Swarm waits for two seconds before it starts something again. */
const AFTER_DELAY_MS = 6000

/** A Swarm of one machine, which takes containers of apps. */
async function openLab() {
  await using stack = new AsyncDisposableStack()
  const bed = stack.use(await openSwarmBed({ nodes: 1 }))
  const [here] = bed.nodes
  if (!here) throw new Error('there is no machine')
  const engine = createEngine({
    address: here.engine,
    log: { info: () => undefined, warn: () => undefined },
    now: () => new Date(),
  })
  await ensureBusybox(engine)
  await engine.swarm.turnOn(INSTANCE, here.address)
  const [node] = await engine.swarm.nodes()
  await engine.swarm.changeNode(node?.id ?? '', { serverId: 'here', isChecked: true })
  const network = (await here.run('docker', 'network', 'create', '--driver', 'overlay', 'apps')).trim()
  const calls = createServiceCalls({ transport: createTransport({ address: here.engine }) })

  async function begin(appId: number, script: string, more: Partial<ContainerSpec> = {}): Promise<void> {
    const spec = {
      name: containerName(INSTANCE, appId, 7),
      labels: labelsOf({ instance: INSTANCE, kind: 'app', projectId: 2, appId, deploymentId: 7, service: '', replica: 1 }),
      entrypoint: ['sh', '-c', script],
      env: {},
      restart: 'always',
      volumes: [],
      aliases: [],
      ...more,
    } as unknown as ContainerSpec // what is looked at
    await calls.create(serviceRequest(spec, { image: BUSYBOX_IMAGE, network, avoided: [] }), {})
  }

  async function detailsOf(appId: number) {
    const { services, tasks } = await calls.list({ 'berth.app': String(appId) })
    const [service] = services
    if (!service) throw new Error('there is no service')
    const own = tasksOf(service, tasks)
    return { ...detailsOfService(service, own, new Date()), startedAgain: service.startedAgain, own, tasks }
  }

  const held = stack.move()
  return { engine, here, calls, begin, detailsOf, [Symbol.asyncDispose]: async () => await held.disposeAsync() }
}

let lab: Awaited<ReturnType<typeof openLab>>
beforeAll(async () => {
  lab = await openLab()
})
afterAll(async () => await lab[Symbol.asyncDispose]())

/** The tasks that it keeps of each container, the changes between its snapshots, and its label. */
async function kept() {
  const spec: unknown = JSON.parse(await lab.here.run('docker', 'info', '--format', '{{json .Swarm.Cluster.Spec}}'))
  const paths = [
    ['Orchestration', 'TaskHistoryRetentionLimit'],
    ['Raft', 'SnapshotInterval'],
    ['Raft', 'LogEntriesForSlowFollowers'],
    ['Labels', 'berth.instance'],
  ]
  return paths.map((path) => field(spec, ...path))
}

it('a Swarm keeps little, also one that an earlier Berth has switched on', async () => {
  expect(await kept()).toEqual([2, 50, 10, INSTANCE])
  await lab.here.run('docker', 'swarm', 'update', '--task-history-limit', '5', '--snapshot-interval', '10000')
  expect(await kept()).toEqual([5, 10_000, 10, INSTANCE])
  await lab.engine.swarm.limitHistory()
  expect(await kept()).toEqual([2, 50, 10, INSTANCE])
})

it('a variable is no template, which could take all memory of a manager', async () => {
  const value = '{{ .Node.Hostname }} {{{x}}} {{ range'
  await lab.begin(7, 'echo "<$VALUE>"; sleep 1000', { env: { VALUE: value } })
  const printed = async () => await lab.here.run('docker', 'service', 'logs', '--raw', containerName(INSTANCE, 7, 7)).catch(() => '')
  await expect.poll(printed, { timeout: 60_000 }).toContain(`<${value}>`)
})

it('one that crashes again and again is started six times, and leaves its last words and its exit code', async () => {
  const since = String(Math.floor(Date.now() / 1000))
  await lab.begin(4, 'echo the last words; exit 3')
  await lab.begin(5, 'sleep 1000')
  const filter = ['--filter', 'event=die', '--filter', 'type=container', '--format', '{{.Actor.Attributes.name}}']
  let restarts = 0
  const ends = async (): Promise<number> => {
    const { restartCount, own, tasks } = await lab.detailsOf(4)
    expect(tasks).toHaveLength(own.length) // none of the other app
    restarts = Math.max(restarts, restartCount)
    const until = String(Math.floor(Date.now() / 1000) + 1)
    return (await lab.here.run('docker', 'events', '--since', since, '--until', until, ...filter)).trim().split('\n').length
  }
  await expect.poll(ends, { timeout: 120_000, interval: 500 }).toBe(6)
  await sleep(AFTER_DELAY_MS)
  expect(await ends()).toBe(6)
  expect(await lab.detailsOf(4)).toMatchObject({ state: 'exited', exitCode: 3 })
  expect(restarts).toBeGreaterThan(0) // so that a release that was started again is seen as such
  expect((await lab.detailsOf(4)).own.length).toBeLessThanOrEqual(6) // Swarm keeps one more than it tries, to count them
  expect(await lab.here.run('docker', 'service', 'logs', '--raw', containerName(INSTANCE, 4, 7))).toContain('the last words')
  expect(await lab.detailsOf(5)).toMatchObject({ state: 'running' })
})

it('of one with data, which Berth starts again, it keeps two tasks, and its last starts', async () => {
  await lab.begin(6, 'echo the last words; exit 3', { servers: { serverId: 'here' }, volumes: [{ volume: 'data', path: '/data' }] })
  const hasEnded = async (starts: number) => {
    const isOver = async () => {
      const { own, startedAgain } = await lab.detailsOf(6)
      return `${startedAgain.length} ${own[0]?.state}`
    }
    await expect.poll(isOver, { timeout: 60_000 }).toBe(`${Math.min(starts, 3)} failed`)
  }
  await hasEnded(0)
  for (const starts of [1, 2, 3, 4]) {
    const { own } = await lab.detailsOf(6)
    await lab.calls.change(own[0]?.serviceId ?? '', { replicas: 1, isAnew: true, startedAgain: 1000 * starts })
    await expect.poll(async () => (await lab.detailsOf(6)).own[0]?.createdAt, { timeout: 60_000 }).not.toBe(own[0]?.createdAt)
    await hasEnded(starts)
  }
  await expect.poll(async () => (await lab.detailsOf(6)).own.length, { timeout: 30_000 }).toBe(2)
  expect(await lab.detailsOf(6)).toMatchObject({ exitCode: 3, startedAgain: [2000, 3000, 4000] })
  expect(await lab.here.run('docker', 'service', 'logs', '--raw', containerName(INSTANCE, 6, 7))).toContain('the last words')
})
