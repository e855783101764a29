import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { parsePlan } from '../../src/engine/compose/kept-plan.ts'
import { freePort } from '../../testing/harness/listening.ts'
import { type DeployLab, dockerfile, type LabApp, until, webFiles } from '../../testing/labs/deploy-lab.ts'
import type { Scenario } from './crash-sweep.ts'
import { type Holders, watchHolders } from './holders.ts'
import { countReleaseRuns, type ReleaseRuns } from './release-runs.ts'

type AppState = { app: LabApp }
type ReleaseState = AppState & { first: number }

const BROKEN = { Dockerfile: dockerfile(['RUN echo no good && exit 3'], 'true') }

async function running(lab: DeployLab): Promise<ReleaseState> {
  const app = await lab.createApp(webFiles('v1'))
  const { id } = await lab.deploy(app.id)
  return { app, first: id }
}

/** Checks what visitors get, and how the newest deployment ended. */
async function serves(lab: DeployLab, app: LabApp, wanted: { body: string; status: readonly string[] }): Promise<string[]> {
  const body = await lab.visit(app).catch((cause: unknown) => `nothing: ${String(cause)}`)
  const [newest] = await lab.owner.call('deployments.list', { appId: app.id })
  return [
    ...(body === wanted.body ? [] : [`app ${app.id} serves ${body} instead of ${wanted.body}`]),
    ...(newest && wanted.status.includes(newest.status) ? [] : [`the newest deployment is ${newest?.status}: ${newest?.error_message}`]),
  ]
}

/** Makes sure that the requested deployment exists; if the process died before it was written, requests it again. */
async function askAgain(lab: DeployLab, app: LabApp, atLeast: number): Promise<void> {
  const list = await lab.owner.call('deployments.list', { appId: app.id })
  if (list.length < atLeast) await lab.add(app.id)
}

const firstDeploy: Scenario<AppState> = {
  name: 'first deploy',
  prepare: async (lab) => ({ app: await lab.createApp(webFiles('v1')) }),
  act: async (lab, { app }) => void (await lab.deploy(app.id)),
  afterwards: async (lab, { app }) => await askAgain(lab, app, 1),
  expected: async (lab, { app }) => await serves(lab, app, { body: 'v1', status: ['success'] }),
}

export const redeploy: Scenario<ReleaseState> = {
  name: 'redeploy',
  prepare: async (lab) => {
    const state = await running(lab)
    await state.app.repository.commit({ files: webFiles('v2') })
    return state
  },
  act: async (lab, { app }) => void (await lab.deploy(app.id)),
  afterwards: async (lab, { app }) => await askAgain(lab, app, 2),
  expected: async (lab, { app }) => await serves(lab, app, { body: 'v2', status: ['success'] }),
}

/** The live release and the next one have the same volume. */
const oneAtATime: Scenario<ReleaseState & { holders: Holders }> = {
  ...redeploy,
  name: 'redeploy, one at a time',
  prepare: async (lab) => {
    const app = await lab.createApp(webFiles('v1'), { volumes: [{ name: 'data', path: '/data' }] })
    const { id: first } = await lab.deploy(app.id)
    await app.repository.commit({ files: webFiles('v2') })
    return { app, first, holders: watchHolders(lab, app.id) }
  },
  expected: async (lab, state) => [...state.holders.wrong(), ...(await redeploy.expected(lab, state))],
}

const redeployReplicas: Scenario<ReleaseState> = {
  ...redeploy,
  name: 'redeploy with replicas',
  prepare: async (lab) => {
    const state = await redeploy.prepare(lab)
    await scale(lab, state.app, 2)
    return state
  },
}

async function scale(lab: DeployLab, app: LabApp, replicas: number): Promise<void> {
  await lab.owner.call('apps.update', { appId: app.id, replicas })
  await until(
    async () => (await lab.containersOf(app.id)).filter(({ state }) => state === 'running').length,
    (running) => running === replicas,
  )
}

/** The worker starts after the main process, and both are replaced together. */
const redeployProcesses: Scenario<ReleaseState> = {
  ...redeploy,
  name: 'redeploy with another process',
  prepare: async (lab) => {
    const state = await redeploy.prepare(lab)
    await lab.owner.call('apps.update', { appId: state.app.id, processes: [{ name: 'worker', command: 'sleep 600' }] })
    return state
  },
}

/** From one to three, and to two. */
const scaling: Scenario<ReleaseState> = {
  name: 'scaling',
  prepare: running,
  act: async (lab, { app }) => {
    await scale(lab, app, 3)
    await scale(lab, app, 2)
  },
  afterwards: async (lab, { app }) => await scale(lab, app, 2),
  expected: async (lab, { app }) => await serves(lab, app, { body: 'v1', status: ['success'] }),
}

/** If it is interrupted during its release command, it fails, and the previous release keeps serving. */
const releaseCommand: Scenario<ReleaseState & { runs: ReleaseRuns }> = {
  ...redeploy,
  name: 'redeploy with a release command',
  prepare: async (lab) => {
    const state = await redeploy.prepare(lab)
    await lab.owner.call('apps.update', { appId: state.app.id, releaseCommand: 'echo released' })
    return { ...state, runs: countReleaseRuns(lab) }
  },
  expected: async (lab, { app, runs }) => {
    const [newest] = await lab.owner.call('deployments.list', { appId: app.id })
    const isInterrupted = newest?.status === 'failed' && newest.error_message.includes('It is never run twice')
    const wanted = isInterrupted ? { body: 'v1', status: ['failed'] } : { body: 'v2', status: ['success'] }
    return [...runs.wrong(), ...(await serves(lab, app, wanted))]
  },
}

const composeFiles = (body: string) => ({
  'compose.yaml': JSON.stringify({ services: { web: { build: './web', expose: ['8080'] }, worker: { build: './worker' } } }),
  'web/Dockerfile': dockerfile(['COPY index.html /www/index.html'], 'exec httpd -f -p 8080 -h /www'),
  'web/index.html': body,
  'worker/Dockerfile': dockerfile([], 'trap exit TERM; while true; do sleep 1; done'),
})

const composeRedeploy: Scenario<AppState> = {
  name: 'compose redeploy',
  prepare: async (lab) => {
    const app = await lab.createApp(composeFiles('v1'), { appType: 'compose' })
    await lab.deploy(app.id)
    await app.repository.commit({ files: composeFiles('v2') })
    return { app }
  },
  act: async (lab, { app }) => void (await lab.deploy(app.id)),
  afterwards: async (lab, { app }) => await askAgain(lab, app, 2),
  expected: async (lab, { app }) => await servesComposed(lab, app, { body: 'v2', status: ['success'] }),
}

/** With replicas of both services, and with a port of the machine, which can have one owner at a time. */
const composeReplicas: Scenario<AppState> = {
  ...composeRedeploy,
  name: 'compose redeploy with replicas',
  prepare: async (lab) => {
    const web = { build: './web', expose: ['8080'], scale: 2 }
    const file = { 'compose.yaml': JSON.stringify({ services: { web, worker: { build: './worker', deploy: { replicas: 2 } } } }) }
    const app = await lab.createApp({ ...composeFiles('v1'), ...file }, { appType: 'compose' })
    await lab.owner.call('stacks.openPort', { appId: app.id, service: 'web', port: 8080, hostPort: await freePort() })
    await lab.deploy(app.id)
    await app.repository.commit({ files: { ...composeFiles('v2'), ...file } })
    return { app }
  },
}

const composeRollback: Scenario<ReleaseState> = {
  name: 'compose rollback',
  prepare: async (lab) => {
    const app = await lab.createApp(composeFiles('v1'), { appType: 'compose' })
    const { id: first } = await lab.deploy(app.id)
    await app.repository.commit({ files: composeFiles('v2') })
    await lab.deploy(app.id)
    return { app, first }
  },
  act: async (lab, { first }) => void (await lab.ended((await lab.owner.call('deployments.rollback', { deploymentId: first })).id)),
  afterwards: async (lab, { app, first }) => {
    const list = await lab.owner.call('deployments.list', { appId: app.id })
    if (list.length < 3) await lab.owner.call('deployments.rollback', { deploymentId: first })
  },
  expected: async (lab, { app }) => await servesComposed(lab, app, { body: 'v1', status: ['success'] }),
}

/** The worker service is built in every release, so the running one must belong to the live release. */
async function servesComposed(lab: DeployLab, app: LabApp, wanted: { body: string; status: readonly string[] }): Promise<string[]> {
  const live = lab.rows<{ id: number; release_of: number | null }>('select * from deployment where app_id = ? and is_active = 1', app.id)[0]
  const images = (await lab.containersOf(app.id)).map(({ image }) => image)
  const file = path.join(lab.berth.dataDir, 'compose', `app-${app.id}`, `d${live?.id}`, 'plan.json')
  const plan = parsePlan(await readFile(file, 'utf8'))
  const count = plan.services.reduce((sum, { replicas = 1 }) => sum + replicas, 0)
  const others = images.filter((image) => plan.services.every((service) => service.image !== image))
  return [
    ...(await serves(lab, app, wanted)),
    ...(images.length === count ? [] : [`it runs ${images.join(', ')}`]),
    ...others.map((image) => `${image} does not belong to the live release`),
  ]
}

/** Cancelled during the rollout. */
const composeCancel: Scenario<AppState> = {
  name: 'compose cancel',
  prepare: async (lab) => await composeRedeploy.prepare(lab),
  act: async (lab, { app }) => {
    const id = await lab.add(app.id)
    await lab.reaches(id, 'starting_new')
    await lab.owner.call('deployments.stop', { deploymentId: id }).catch(() => undefined) // it may have ended
    await lab.ended(id)
  },
  afterwards: async (lab, { app }) => await askAgain(lab, app, 2),
  expected: async (lab, { app }) => {
    const [newest] = await lab.owner.call('deployments.list', { appId: app.id })
    return await servesComposed(lab, app, { body: newest?.status === 'success' ? 'v2' : 'v1', status: ['success', 'stopped'] })
  },
}

/** The worker service changed as well, and is rolled back too. */
const composeUnhealthy: Scenario<AppState> = {
  ...composeRedeploy,
  name: 'unhealthy compose release',
  prepare: async (lab) => {
    const state = await composeRedeploy.prepare(lab)
    await state.app.repository.commit({ files: { 'web/Dockerfile': dockerfile([], 'echo I go; exit 4') } })
    return state
  },
  expected: async (lab, { app }) => await servesComposed(lab, app, { body: 'v1', status: ['failed'] }),
}

const failingBuild: Scenario<ReleaseState> = {
  name: 'failing build',
  prepare: async (lab) => {
    const state = await running(lab)
    await state.app.repository.commit({ files: BROKEN })
    return state
  },
  act: async (lab, { app }) => void (await lab.deploy(app.id)),
  afterwards: async (lab, { app }) => await askAgain(lab, app, 2),
  expected: async (lab, { app }) => await serves(lab, app, { body: 'v1', status: ['failed'] }),
}

const unhealthyRelease: Scenario<ReleaseState> = {
  name: 'unhealthy release',
  prepare: async (lab) => {
    const state = await running(lab)
    await state.app.repository.commit({ files: { Dockerfile: dockerfile([], 'echo I go; exit 4') } })
    return state
  },
  act: async (lab, { app }) => void (await lab.deploy(app.id)),
  afterwards: async (lab, { app }) => await askAgain(lab, app, 2),
  expected: async (lab, { app }) => await serves(lab, app, { body: 'v1', status: ['failed'] }),
}

const rollback: Scenario<ReleaseState> = {
  name: 'rollback',
  prepare: async (lab) => {
    const state = await running(lab)
    await state.app.repository.commit({ files: webFiles('v2') })
    await lab.deploy(state.app.id)
    return state
  },
  act: async (lab, { first }) => void (await lab.ended((await lab.owner.call('deployments.rollback', { deploymentId: first })).id)),
  afterwards: async (lab, { app, first }) => {
    const list = await lab.owner.call('deployments.list', { appId: app.id })
    if (list.length < 3) await lab.owner.call('deployments.rollback', { deploymentId: first })
  },
  expected: async (lab, { app }) => await serves(lab, app, { body: 'v1', status: ['success'] }),
}

async function cancelNewest(lab: DeployLab, app: LabApp): Promise<void> {
  const [newest] = await lab.owner.call('deployments.list', { appId: app.id })
  if (newest?.deployment_number === 2) await lab.owner.call('deployments.stop', { deploymentId: newest.id }).catch(() => undefined) // it may have ended
}

const cancel: Scenario<ReleaseState> = {
  name: 'cancel',
  prepare: async (lab) => {
    const state = await running(lab)
    await state.app.repository.commit({ files: webFiles('v2', [`RUN sleep 20; echo ${state.app.id}`]) })
    return state
  },
  act: async (lab, { app }) => {
    const id = await lab.add(app.id)
    await lab.reaches(id, 'building_image')
    await lab.owner.call('deployments.stop', { deploymentId: id })
    await lab.ended(id)
  },
  afterwards: async (lab, { app }) => await cancelNewest(lab, app),
  expected: async (lab, { app }) => await serves(lab, app, { body: 'v1', status: ['stopped', 'success'] }),
}

/** The old release was stopped for the new one, and nothing but Berth starts it again. */
const cancelOneAtATime: Scenario<ReleaseState> = {
  ...cancel,
  name: 'cancel, one at a time',
  prepare: async (lab) => {
    const app = await lab.createApp(webFiles('v1'))
    await lab.owner.call('apps.update', { appId: app.id, deploymentStrategy: 'recreate', restartPolicy: 'no' })
    const { id } = await lab.deploy(app.id)
    await app.repository.commit({ files: { Dockerfile: dockerfile([], 'exec sleep 600') } })
    return { app, first: id }
  },
  act: async (lab, { app }) => {
    const id = await lab.add(app.id)
    await lab.reaches(id, 'starting_new')
    await lab.owner.call('deployments.stop', { deploymentId: id })
    await lab.ended(id)
  },
  expected: async (lab, { app }) => await serves(lab, app, { body: 'v1', status: ['stopped', 'failed', 'success'] }),
}

const stopAndStart: Scenario<ReleaseState> = {
  name: 'stop and start',
  prepare: running,
  act: async (lab, { app }) => {
    await lab.owner.call('containers.stop', { appId: app.id })
    await lab.owner.call('containers.start', { appId: app.id })
  },
  expected: async () => [], // stopped or running, whichever was requested last: the invariants check that it is completely one of them
}

async function isGone(lab: DeployLab, { app }: AppState): Promise<string[]> {
  const labels = `-app-${app.id}`
  const left = (await lab.belongings()).filter((thing) => thing.includes(labels) || thing.includes(`/app-${app.id}:`))
  return left.map((thing) => `${thing} is left`)
}

const appDelete: Scenario<AppState> = {
  name: 'app delete',
  prepare: running,
  act: async (lab, { app }) => void (await lab.owner.call('apps.delete', { appId: app.id })),
  afterwards: async (lab, { app }) => {
    if (lab.rows('select id from app where id = ?', app.id).length > 0) await lab.owner.call('apps.delete', { appId: app.id })
  },
  expected: isGone,
}

const projectDelete: Scenario<AppState & { projectId: number }> = {
  name: 'project delete',
  prepare: async (lab) => {
    const project = await lab.owner.call('projects.create', { name: `Doomed ${Date.now()}` })
    const app = await lab.createAppIn(project.id, webFiles('v1'))
    await lab.deploy(app.id)
    return { app, projectId: project.id }
  },
  act: async (lab, { projectId }) => void (await lab.owner.call('projects.delete', { id: projectId })),
  afterwards: async (lab, { projectId }) => {
    if (lab.rows('select id from project where id = ?', projectId).length > 0) await lab.owner.call('projects.delete', { id: projectId })
  },
  expected: isGone,
}

/** Each has its own type of state, which the sweep does not inspect. */
export const SCENARIOS: Readonly<Record<string, Scenario<never>>> = Object.fromEntries(
  [
    firstDeploy,
    redeploy,
    oneAtATime,
    redeployReplicas,
    redeployProcesses,
    scaling,
    releaseCommand,
    composeRedeploy,
    composeReplicas,
    composeRollback,
    composeCancel,
    composeUnhealthy,
    failingBuild,
    unhealthyRelease,
    rollback,
    cancel,
    cancelOneAtATime,
    stopAndStart,
    appDelete,
    projectDelete,
  ].map((scenario) => [
    scenario.name,
    scenario as unknown as Scenario<never>, // made and used by the same scenario
  ]),
)
