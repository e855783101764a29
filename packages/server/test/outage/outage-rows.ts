import type { Application, ApplicationChange, NewApplication } from '@berth/contract'
import type { FileMap } from '../../testing/harness/git-server.ts'
import { type DeployLab, dockerfile, type LabApp, readRows, webFiles } from '../../testing/labs/deploy-lab.ts'

type App = Pick<Application, 'id' | 'project_id'>
/** The initial state. `old` is the release that must keep serving until the new one has taken over. */
type Prepared = { app: App; old?: string; release?: number }

/** When the fault happens: at a call to the engine, at a state of the deployment, or before the request. */
type Moment = { readonly call: string } | { readonly seen: (lab: DeployLab, app: App) => Promise<boolean> } | 'before'

export type OutageRow = {
  readonly stage: string
  readonly moment: Moment
  readonly prepare: (lab: DeployLab) => Promise<Prepared>
  /** The request; returns the id of the deployment, if it is one. A refusal is fine too. */
  readonly act: (lab: DeployLab, prepared: Prepared) => Promise<number | undefined>
  /** What visitors get in the end after success, where there are visitors. */
  readonly serves?: string
}

const unique = () => `RUN echo ${Math.random()}`
const slow = (seconds: number) => `${unique()}; sleep ${seconds}`

async function running(lab: DeployLab, next: FileMap, settings: Partial<ApplicationChange> = {}): Promise<Prepared & { app: LabApp }> {
  const app = await lab.createApp(webFiles('v1'), {}, settings)
  const { id } = await lab.deploy(app.id)
  const old = await addressOf(lab, app.id)
  await app.repository.commit({ files: next })
  return { app, release: id, ...(settings.deploymentStrategy === 'recreate' ? {} : { old }) }
}

/** Where a visitor finds the app's only container. */
export async function addressOf(lab: DeployLab, appId: number): Promise<string> {
  const [container] = await lab.containersOf(appId)
  return `http://${Object.values(container?.ips ?? {})[0]}:8080/`
}

const deploys = async (lab: DeployLab, { app }: Prepared) => await lab.add(app.id)

async function newestOf(lab: DeployLab, app: App): Promise<{ id: number; stage: string } | undefined> {
  return readRows<{ id: number; stage: string }>(
    lab.berth.dataDir,
    'select id, stage from deployment where app_id = ? order by id desc',
    app.id,
  )[0]
}

const inStage = (stage: string) => async (lab: DeployLab, app: App) => (await newestOf(lab, app))?.stage === stage
const hasSaid = (words: string) => async (lab: DeployLab, app: App) => {
  const newest = await newestOf(lab, app)
  return newest !== undefined && (await lab.log(newest.id).catch(() => '')).includes(words)
}

async function refusedOr(work: Promise<unknown>): Promise<undefined> {
  await work.catch((cause: unknown) => {
    if (!/engine|container/i.test(String(cause))) throw cause
  })
}

const redeploy = (stage: string, moment: Moment, next = () => webFiles('v2', [unique()])): OutageRow => ({
  stage,
  moment,
  prepare: async (lab) => await running(lab, next()),
  act: deploys,
  serves: 'v2',
})

async function newApp(lab: DeployLab, change: Partial<NewApplication>, files?: FileMap): Promise<Prepared> {
  if (files) return { app: await lab.createApp(files, change) }
  return { app: await lab.owner.call('apps.create', { name: `made ${Date.now()}`, projectId: lab.project.id, ...change }) }
}

const composeFiles = (lines: readonly string[], replicas = 1) => ({
  'compose.yaml': JSON.stringify({
    services: { web: { build: './web', expose: ['8080'], scale: replicas }, worker: { build: './worker', scale: replicas } },
  }),
  'web/Dockerfile': dockerfile([unique(), ...lines], 'echo composed > /www/index.html; exec httpd -f -p 8080 -h /www'),
  'worker/Dockerfile': dockerfile([], 'while true; do echo working; sleep 1; done'),
})
const compose = (stage: string, moment: Moment, lines: readonly string[] = []): OutageRow => ({
  stage,
  moment,
  prepare: async (lab) => await newApp(lab, { appType: 'compose' }, composeFiles(lines)),
  act: deploys,
})
/** A stack that serves is deployed again; all of its services have two replicas. */
const composeReplicas = (stage: string, moment: Moment): OutageRow => ({
  stage,
  moment,
  prepare: async (lab) => {
    const app = await lab.createApp(composeFiles([], 2), { appType: 'compose' })
    await lab.deploy(app.id)
    await app.repository.commit({ files: composeFiles([], 2) })
    return { app }
  },
  act: deploys,
  serves: 'composed\n',
})
const database = (stage: string, moment: Moment): OutageRow => ({
  stage,
  moment,
  prepare: async (lab) => await newApp(lab, { appType: 'database', templateName: 'redis' }),
  act: deploys,
})
const resting = async (lab: DeployLab): Promise<Prepared> => {
  const { app } = await running(lab, webFiles('v2'))
  await lab.owner.call('containers.stop', { appId: app.id })
  return { app }
}
const SLOW_START = () => ({
  Dockerfile: dockerfile([unique(), 'COPY index.html /www/index.html'], 'sleep 2; exec httpd -f -p "$PORT" -h /www'),
  'index.html': 'v2',
})

/** Every stage of a deployment, and everything else that needs the engine. */
export const OUTAGE_ROWS: readonly OutageRow[] = [
  redeploy('pending', 'before'),
  redeploy('cloning_repo', { seen: inStage('cloning_repo') }),
  redeploy('building_image: sent', { call: 'POST /build' }),
  redeploy('building_image: running', { seen: inStage('building_image') }, () => webFiles('v2', [slow(3)])),
  {
    ...redeploy('stopping_old', { call: 'POST /containers/*/stop' }),
    prepare: async (lab) => await running(lab, webFiles('v2', [unique()]), { deploymentStrategy: 'recreate' }),
  },
  redeploy('starting_new: creating', { call: 'POST /containers/create' }),
  redeploy('starting_new: starting', { call: 'POST /containers/*/start' }),
  redeploy('starting_new: waiting until healthy', { seen: hasSaid('waiting until it is healthy') }, SLOW_START),
  redeploy('starting_new: stability window', { seen: hasSaid('Healthy;') }),
  redeploy('success: removing the old release', { call: 'DELETE /containers/*' }),
  {
    stage: 'rollback: creating',
    moment: { call: 'POST /containers/create' },
    prepare: async (lab) => {
      const { app, release } = await running(lab, webFiles('v2'))
      await lab.deploy(app.id)
      return { app, ...(release !== undefined && { release }), old: await addressOf(lab, app.id) }
    },
    act: async (lab, { release = 0 }) => (await lab.owner.call('deployments.rollback', { deploymentId: release })).id,
    serves: 'v1',
  },
  {
    stage: 'app delete',
    moment: { call: 'DELETE /containers/*' },
    prepare: async (lab) => ({ app: (await running(lab, webFiles('v2'))).app }),
    act: async (lab, { app }) => void (await lab.owner.call('apps.delete', { appId: app.id })),
  },
  {
    stage: 'containers.stop',
    moment: { call: 'POST /containers/*/stop' },
    prepare: async (lab) => ({ app: (await running(lab, webFiles('v2'))).app }),
    act: async (lab, { app }) => await refusedOr(lab.owner.call('containers.stop', { appId: app.id })),
  },
  {
    stage: 'containers.start',
    moment: { call: 'POST /containers/*/start' },
    prepare: resting,
    act: async (lab, { app }) => await refusedOr(lab.owner.call('containers.start', { appId: app.id })),
  },
  database('database: creating', { call: 'POST /containers/create' }),
  database('database: waiting until healthy', { call: 'POST /containers/*/exec' }),
  compose('compose: building', { seen: inStage('building_image') }, [slow(2)]),
  compose('compose: starting', { call: 'POST /containers/create' }),
  composeReplicas('compose with replicas: creating', { call: 'POST /containers/create' }),
  composeReplicas('compose with replicas: stability window', { seen: hasSaid('Healthy;') }),
  composeReplicas('compose with replicas: removing the old release', { call: 'DELETE /containers/*' }),
]
