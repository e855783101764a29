import type { BuildPlan } from '@berth/contract'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { addApp, addDeployment } from '../../../../../testing/harness/stored-app.ts'
import { openTestDatabase } from '../../../../../testing/harness/test-database.ts'
import type { ReleaseConfig } from '../../../../domain/release-config.ts'
import type { AppRow, DeploymentRow } from '../../../../domain/rows.ts'
import { EngineUnreachable } from '../../../../engine/api/errors.ts'
import type { ContainerDetails, ContainerSummary } from '../../../../engine/container-state.ts'
import type { Engine } from '../../../../engine/engine.ts'
import { createSecretBox } from '../../../../lib/secret-box.ts'
import { TUNING } from '../../../../lib/tuning.ts'
import type { LiveContext } from '../../run/context.ts'
import { createEffects } from '../../run/effects.ts'
import { createAppContainers } from '../app-containers.ts'
import { savePlan } from '../store.ts'
import { createContainerLauncher } from './launcher.ts'
import { createReleaseCommand } from './release-command.ts'

const [EARLIER, LIVE, OWN] = [3, 4, 5]

const test = await openTestDatabase()
const stored = { db: test.db, secrets: createSecretBox(Buffer.alloc(32, 1)) }
afterAll(async () => await test[Symbol.asyncDispose]())

beforeAll(async () => {
  const app = await addApp(test.db, 'a@example.test')
  for (let id = 1; id <= OWN; id += 1) await addDeployment(test.db, app, { sealed_config: '', image: 'i' })
  const plan = { commands: [{ name: 'release', command: 'migrate', from: '' }] } as BuildPlan // no other field is read
  await test.db.transaction(async (tx) => await savePlan(tx, OWN, plan))
})

function container(name: string, deploymentId: number, service: string | null = null, state = 'exited'): ContainerSummary {
  const owner = { instance: 'i', projectId: 1, appId: 1, deploymentId, definition: null, service, replica: 1 }
  return { id: name, name, image: '', state, status: '', ips: {}, owner, createdAt: '' }
}

/** An engine with these containers. It records what is done to them. */
function engineWith(there: ContainerSummary[], { losesAnswer }: { losesAnswer?: string } = {}) {
  const done: string[] = []
  let isLost = losesAnswer !== undefined
  const note = async (what: string) => void done.push(what)
  const containers = {
    list: async () => there,
    inspect: async () => ({ state: 'exited', exitCode: 0 }) as ContainerDetails, // the fields that are read
    stop: async (id: string) => await note(`stop ${id}`),
    startAgain: async (id: string) => await note(`start ${id} again`),
    remove: async (id: string) => {
      there.splice(0, Infinity, ...there.filter((each) => each.id !== id))
      await note(`remove ${id}`)
    },
    start: async () => {
      await note('start')
      if (there.some(({ name }) => name === 'own-release')) throw new Error('409: the name is taken')
      there.push(container('own-release', OWN, 'release', isLost ? losesAnswer : 'running'))
      if (!isLost) return 'own-release'
      isLost = false
      throw new EngineUnreachable('ECONNRESET')
    },
  }
  const networks = { ensureProjectNetwork: async () => undefined }
  const engine = { containers, networks, logs: async function* () {} } as unknown as Engine // what these parts use of it
  return { engine, done, containers: createAppContainers({ engine, instance: 'i' }) }
}

function contextOf(): LiveContext {
  const signal = AbortSignal.timeout(20_000)
  const step = async <Result>(_name: string, effect: () => Promise<Result>) => await effect()
  return {
    ...createEffects({ step, signal, say: () => undefined }),
    app: { id: 1, project_id: 1, wanted: 'running', replicas: 1, processes: '[]', volumes: '[]' } as AppRow, // as below: the fields that are read
    deployment: { id: OWN, release_of: null, release_run: '', processes: '[]' } as DeploymentRow,
    config: { type: 'web', strategy: 'recreate', env: {}, memoryMb: null, cpus: null } as unknown as ReleaseConfig,
    signal,
    replaces: LIVE,
    say: () => undefined,
    output: () => undefined,
    untimed: () => undefined,
    write: async (_name: string, change: (row: DeploymentRow) => Promise<DeploymentRow>) => void (await change({} as DeploymentRow)),
  } as unknown as LiveContext
}

function launcherWith(there: ContainerSummary[]) {
  const { done, ...parts } = engineWith(there)
  const keptOutput = { keep: async () => undefined }
  return {
    launcher: createContainerLauncher({
      ...stored,
      ...parts,
      findTemplate: () => undefined,
      keptOutput,
      instance: 'i',
      tuning: TUNING,
      now: () => new Date(),
    }),
    done,
  }
}

it('a live release whose settings cannot be read is started again, but not created again', async () => {
  const problem = new Error('The settings cannot be read.')
  const [stopped, gone] = [launcherWith([container('own', OWN)]), launcherWith([])]
  const artifact = { kind: 'image', tag: 'i' } as const
  await stopped.launcher.replicas?.complete(contextOf(), artifact, problem)
  expect(stopped.done).toEqual(['start own again'])
  await expect(gone.launcher.replicas?.complete(contextOf(), artifact, problem)).rejects.toBe(problem)
  expect(gone.done).toEqual([])
})

it('after a failure only the live release is started again, not what an earlier deployment left', async () => {
  const { launcher, done } = launcherWith([
    container('earlier', EARLIER),
    container('earlier-release', EARLIER, 'release'),
    container('live', LIVE),
    container('own', OWN),
  ])
  await launcher.undo(contextOf())
  expect(done).toEqual(['stop own', 'start live again', 'remove own'])
})

async function released(there: ContainerSummary[], options?: { losesAnswer: string }): Promise<string[]> {
  const { engine, done, containers } = engineWith(there, options)
  const run = createReleaseCommand({
    ...stored,
    engine,
    instance: 'i',
    tuning: TUNING,
    containers,
    record: { release: async (row) => row },
  })
  await run(contextOf(), { kind: 'image', tag: 'berth/x:release' })
  return done
}

it('a release command never runs beside that of an earlier deployment', async () => {
  expect(await released([container('earlier-release', EARLIER, 'release', 'running'), container('live', LIVE)])).toEqual([
    'remove earlier-release',
    'start',
    'remove own-release',
  ])
})

it('a release command whose start was not answered goes on, and is begun again only if it never ran', async () => {
  expect(await released([], { losesAnswer: 'running' })).toEqual(['start', 'remove own-release'])
  expect(await released([], { losesAnswer: 'created' })).toEqual(['start', 'remove own-release', 'start', 'remove own-release'])
})

it('a replica that was created and never ran is created again', async () => {
  const { launcher, done } = launcherWith([container('own', OWN, null, 'created')])
  const problem = new Error('The settings cannot be read.')
  await expect(launcher.replicas?.complete(contextOf(), { kind: 'image', tag: 'i' }, problem)).rejects.toBe(problem)
  expect(done).toEqual([])
})

it('a release that was stopped is started again after a failure, also if it need not have been by now', async () => {
  const { launcher, done } = launcherWith([container('live', LIVE), container('own', OWN)])
  const context = contextOf()
  await launcher.undo({ ...context, config: { ...context.config, strategy: 'rolling' } })
  expect(done).toEqual(['stop own', 'start live again', 'remove own'])
})

it('what is too much of a process goes when the rest of the same process runs, whatever the others do, and at once if none is wanted', async () => {
  const of = (service: string | null, replica: number, state: string) => {
    const each = container(`${service ?? 'main'}-${replica}`, OWN, service, state)
    return { ...each, owner: { ...each.owner, replica } }
  }
  const { launcher, done } = launcherWith([
    of(null, 1, 'restarting'),
    of(null, 2, 'running'),
    of('worker', 1, 'running'),
    of('worker', 2, 'running'),
    of('mailer', 1, 'exited'),
    of('mailer', 2, 'running'),
    of('clock', 1, 'restarting'),
  ])
  const context = contextOf()
  const processes = [1, 1, 0].map((replicas, n) => ({ name: ['worker', 'mailer', 'clock'][n], command: 'x', replicas }))
  const scaled = {
    ...context,
    config: { ...context.config, port: null },
    deployment: { ...context.deployment, processes: JSON.stringify(processes) },
  }
  expect(await launcher.replicas?.hasSurplus(scaled)).toBe(true)
  await launcher.replicas?.removeSurplus(scaled)
  expect(done.filter((each) => each.startsWith('remove'))).toEqual(['remove worker-2', 'remove clock-1'])
  expect(await launcher.replicas?.hasSurplus(scaled)).toBe(false)
})
