import { expect, it } from 'vitest'
import { planCompose } from '../../../../engine/compose/policy.ts'
import { LABEL, labelsOf, ownerOf, STAND_IN } from '../../../../engine/labels.ts'
import { createConverge } from './converge.ts'
import { releaseLabels } from './plan.ts'
import type { Wanted } from './start-service.ts'

const signal = new AbortController().signal
const services = {
  migrate: { image: 'x' },
  web: { image: 'x', expose: [80], depends_on: { migrate: { condition: 'service_completed_successfully' } } },
}
const settings = { env: {}, volumePrefix: 'berth-abc-app-7', port: 80, reservedPorts: [], newImageName: () => '' }
const plan = planCompose(JSON.stringify({ services }), settings)

async function startedBy(
  wasLive: boolean,
  stopped: readonly string[] = [],
  running: readonly object[] = [],
  portBindings: readonly string[] = [],
): Promise<string[]> {
  return await doneBy({ plan, wasLive, beside: new Set(), stopped: new Set(stopped) }, running, portBindings)
}

type Given = Pick<Wanted, 'plan' | 'wasLive' | 'beside' | 'stopped'>

async function doneBy(given: Given, running: readonly object[], portBindings: readonly string[] = []): Promise<string[]> {
  const done: string[] = []
  const deps = {
    engine: {
      containers: {
        inspect: async () => ({ portBindings, exitCode: 0 }),
      },
    },
    containers: { ofApp: async () => running },
    others: {
      removeUnknown: async () => undefined,
      clearFor: async () => undefined,
      stop: async (id: string) => void done.push(`stop ${id}`),
      retire: async ({ id }: { id: string }) => void done.push(`retire ${id}`),
      remove: async ({ id }: { id: string }) => void done.push(`remove ${id}`),
    },
    waitFor: async (_context: unknown, { dependency }: { dependency: { service: string } }) => void done.push(`wait ${dependency.service}`),
    startService: async (_context: unknown, { service, replica }: { service: { name: string }; replica: number }) => {
      done.push(`start ${service.name}${replica === 1 ? '' : ` ${replica}`}`)
      return service.name
    },
  }
  // only what is called here
  const converge = createConverge(deps as unknown as Parameters<typeof createConverge>[0])
  const context = { app: { id: 7 } } as Parameters<typeof converge>[0]
  const run = async <Result>(_name: string, work: (until: AbortSignal) => Promise<Result>) => await work(signal)
  await converge(context, { ...given, deploymentId: 9, isData: () => false }, { run, signal })
  return done
}

it('a service that runs once runs in a new release, and not again in one that was live', async () => {
  expect(await startedBy(false)).toEqual(['start migrate', 'wait migrate', 'start web'])
  expect(await startedBy(true)).toEqual(['start web'])
})

it('a stopped service is neither started nor waited for, and is stopped if something started it', async () => {
  expect(await startedBy(true, ['web'])).toEqual([])
  const labels = { instance: 'abc', kind: 'compose', projectId: 1, appId: 7, deploymentId: 9, service: 'web' } as const
  const running = [{ id: 'w1', state: 'running', owner: ownerOf(labelsOf(labels)) }]
  expect(await startedBy(true, ['web', 'migrate'], running)).toEqual(['stop w1'])
})

const webContainer = {
  id: 'w1',
  state: 'running',
  owner: ownerOf(labelsOf({ instance: 'abc', kind: 'compose', projectId: 1, appId: 7, deploymentId: 9, service: 'web' })),
}

it('a container of an interrupted deployment stays, unless its ports were switched since', async () => {
  expect(await startedBy(false, [], [webContainer])).toEqual(['start migrate', 'wait migrate'])
  expect(await startedBy(false, [], [webContainer], ['127.0.0.1:8080:80/tcp'])).toEqual([
    'start migrate',
    'wait migrate',
    'remove w1',
    'start web',
  ])
})

const port = { host: 9000, hostIp: '127.0.0.1', container: 80, protocol: 'tcp' } as const
const scaled = planCompose(
  JSON.stringify({ services: { web: { image: 'x', expose: [80], scale: 2 }, job: { image: 'x', scale: 2 } } }),
  settings,
)
const given = { plan: scaled, wasLive: false, beside: new Set<string>(), stopped: new Set<string>() }
const containerOf = (service: string, replica: number) => {
  const labels = labelsOf({ instance: 'abc', kind: 'compose', projectId: 1, appId: 7, service, replica })
  const owner = ownerOf({ ...labels, [LABEL.deployment]: releaseLabels(scaled, 9).get(service) ?? '' })
  return { id: `${service}-${replica}`, state: 'running', owner }
}

it('starts as many containers as the file says, keeps those that are there, and removes those that are too many', async () => {
  expect(await doneBy(given, [])).toEqual(['start web', 'start web 2', 'start job', 'start job 2'])
  const some = [containerOf('web', 2), containerOf('job', 1), containerOf('job', 2), containerOf('job', 3)]
  expect(await doneBy(given, some)).toEqual(['start web', 'retire job-3'])
})

it('beside a release that has its port of the machine, another container serves in place of the one with the port', async () => {
  const open = { ...scaled, services: scaled.services.map((service) => (service.name === 'web' ? { ...service, ports: [port] } : service)) }
  const beside = new Set(['web'])
  expect(await doneBy({ ...given, plan: open, beside }, [])).toEqual(['start web 2', `start web ${STAND_IN}`, 'start job', 'start job 2'])
  const there = [containerOf('web', 2), containerOf('web', STAND_IN), containerOf('job', 1), containerOf('job', 2)]
  expect(await doneBy({ ...given, plan: open, wasLive: true }, there)).toEqual(['start web'])
})
