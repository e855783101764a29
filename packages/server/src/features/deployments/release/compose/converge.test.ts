import { expect, it } from 'vitest'
import { planCompose } from '../../../../engine/compose/policy.ts'
import { labelsOf, ownerOf } from '../../../../engine/labels.ts'
import { createConverge } from './converge.ts'

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
  const done: string[] = []
  const deps = {
    engine: {
      containers: {
        inspect: async () => ({ portBindings, exitCode: 0 }),
        remove: async (id: string) => void done.push(`remove ${id}`),
      },
    },
    containers: { ofApp: async () => running },
    others: {
      removeUnknown: async () => undefined,
      clearFor: async () => undefined,
      stop: async (id: string) => void done.push(`stop ${id}`),
    },
    waitFor: async (_context: unknown, { dependency }: { dependency: { service: string } }) => void done.push(`wait ${dependency.service}`),
    startService: async (_context: unknown, { service }: { service: { name: string } }) => {
      done.push(`start ${service.name}`)
      return service.name
    },
  }
  // only what is called here
  const converge = createConverge(deps as unknown as Parameters<typeof createConverge>[0])
  const context = { app: { id: 7 } } as Parameters<typeof converge>[0]
  const run = async <Result>(_name: string, work: (until: AbortSignal) => Promise<Result>) => await work(signal)
  const wanted = { plan, deploymentId: 9, beside: new Set<string>(), isData: () => false, wasLive, stopped: new Set(stopped) }
  await converge(context, wanted, { run, signal })
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
