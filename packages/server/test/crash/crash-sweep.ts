import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig } from '../../src/config.ts'
import { placesOf } from '../../src/domain/processes.ts'
import { isOfRelease, labelsOf, ownedBy, volumeName } from '../../src/engine/labels.ts'
import type { Fault } from '../../src/lib/step.ts'
import { listenToWrites } from '../../testing/harness/answered-writes.ts'
import { type Neighbour, openNeighbour } from '../../testing/harness/bystander-app.ts'
import { heavier, type Resources, resourcesOf } from '../../testing/harness/process-resources.ts'
import { type DeployLab, openDeployLab, until } from '../../testing/labs/deploy-lab.ts'

type Row = { id: number; app_id: number; number: number; status: string; is_active: number; image: string; processes: string }
type AppRow = { id: number; status: string; wanted: string; app_type: string; replicas: number; processes: string }

const LAST_LINE = /(^|\n)(Deployed successfully|Cancelled|Failed: [^\n]*)\n$/

/** Checks what must hold after every fault (I1 to I6, I8 and I9), and returns a message for each violation. */
export async function violations(lab: DeployLab): Promise<string[]> {
  const rows = lab.rows<Row>('select * from deployment order by id')
  const apps = lab.rows<AppRow>('select * from app')
  return [
    ...integrity(lab),
    ...queueOf(lab, rows),
    ...numbers(rows),
    ...(await containers(lab, apps, rows)),
    ...(await leftovers(lab, apps, rows)),
    ...(await logs(lab, rows)),
  ]
}

/** A PostgreSQL server checks this itself. */
function integrity({ berth, rows }: DeployLab): string[] {
  if (berth.env['BERTH_DATABASE_URL']) return []
  const [check] = rows<{ integrity_check: string }>('pragma integrity_check')
  const broken = rows('pragma foreign_key_check')
  return [...(check?.integrity_check === 'ok' ? [] : ['I1: the database is damaged']), ...broken.map((row) => `I1: ${JSON.stringify(row)}`)]
}

function queueOf(lab: DeployLab, rows: readonly Row[]): string[] {
  const jobs = lab.rows<{ name: string; payload: string }>('select * from job')
  return [
    ...rows.filter(({ status }) => ['pending', 'building', 'deploying'].includes(status)).map(({ id, status }) => `I2: ${id} is ${status}`),
    ...jobs.map(({ name, payload }) => `I2: the job ${name} ${payload} is not done`),
  ]
}

function numbers(rows: readonly Row[]): string[] {
  const last = new Map<number, number>()
  return rows.flatMap((row) => {
    const before = last.get(row.app_id) ?? 0
    last.set(row.app_id, row.number)
    return row.number > before ? [] : [`I8: number ${row.number} of app ${row.app_id} follows ${before}`]
  })
}

async function containers(lab: DeployLab, apps: readonly AppRow[], rows: readonly Row[]): Promise<string[]> {
  const found = await lab.engine.containers.list({ labels: ownedBy(lab) })
  const wrong = found.filter(({ owner }) => !apps.some((app) => app.id === owner.appId))
  const ofApps = apps.flatMap((app) => {
    const active = rows.filter((row) => row.app_id === app.id && row.is_active === 1)
    const own = found.filter(({ owner }) => owner.appId === app.id)
    const live = own.filter(({ owner }) => active[0] !== undefined && isOfRelease(owner, active[0].id))
    const isUp = live.some((container) => container.state === 'running')
    const services = new Set(live.map(({ owner }) => `${owner.service} ${owner.replica}`))
    const isMulti = app.app_type === 'compose'
    return [
      ...(active.length > 1 ? [`I3: app ${app.id} has ${active.length} active deployments`] : []),
      ...(isUp === (app.status === 'running') ? [] : [`I3: app ${app.id} is ${app.status}, its container ${isUp ? 'is up' : 'is not'}`]),
      ...(['running', 'stopped', 'error'].includes(app.status) ? [] : [`I3: app ${app.id} is still ${app.status}`]),
      ...(active.length === 0 || (app.wanted === 'running') === isUp ? [] : [`I3: app ${app.id} is wanted ${app.wanted}`]),
      ...(own.length === live.length &&
      live.length === (isMulti ? services.size : live.length === 0 ? 0 : placesOf(app, active[0] ?? app).length)
        ? []
        : [`I4: app ${app.id} has ${own.map(({ name }) => name).join()}`]),
    ]
  })
  return [...wrong.map(({ name }) => `I5: container ${name} belongs to no app`), ...ofApps]
}

async function leftovers(lab: DeployLab, apps: readonly AppRow[], rows: readonly Row[]): Promise<string[]> {
  const labels = ownedBy(lab)
  const isCompose = (appId: number | null) => apps.some((app) => app.id === appId && app.app_type === 'compose')
  const kept = new Set(rows.filter(({ status }) => status !== 'failed' && status !== 'stopped').map(({ image }) => image))
  const images = (await lab.engine.images.list({ labels })).filter(
    (image) => !isCompose(image.owner.appId) && !image.tags.some((tag) => kept.has(tag)),
  )
  const projects = lab.rows<{ id: number }>('select id from project').map(({ id }) => id)
  const networks = (await lab.engine.networks.list({ labels })).filter((network) => !projects.includes(network.owner.projectId ?? 0))
  const { workDir } = readConfig({ BERTH_DATA_DIR: lab.berth.dataDir })
  const workspaces = (await readdir(workDir).catch(() => [])).filter((name) => /^d\d+$/.test(name))
  const files = (await readdir(path.join(lab.berth.dataDir, 'logs')).catch(() => [])).filter(
    (name) => !rows.some(({ id }) => name === `d${id}.log` || name === `d${id}-container.log`),
  )
  return [
    ...images.map(({ id, tags }) => `I5: image ${tags[0] ?? id} belongs to no release`),
    ...networks.map(({ name }) => `I5: network ${name} belongs to no project`),
    ...workspaces.map((name) => `I5: workspace ${name} is left`),
    ...files.map((name) => `I5: log ${name} belongs to no deployment`),
  ]
}

async function logs(lab: DeployLab, rows: readonly Row[]): Promise<string[]> {
  const texts = await Promise.all(
    rows.map(async ({ id, status }) => ({ id, status, text: await lab.log(id).catch((cause: unknown) => `no log: ${String(cause)}`) })),
  )
  return texts
    .filter(({ text }) => !LAST_LINE.test(text))
    .map(({ id, status, text }) => `I9: the log of ${id} (${status}) ends in ${JSON.stringify(text.slice(-200))}`)
}

/** The lines of a socket, joined: must equal the REST log (I9). */
export async function socketText(lab: DeployLab, deploymentId: number): Promise<string> {
  await using socket = await lab.berth.connect('deployment.streamById', { cookie: lab.owner.cookie, input: { deploymentId } })
  await socket.closed
  return socket.frames.flatMap(({ type, data }) => (type === 'log' ? [`${String(data['line'])}\n`] : [])).join('')
}

export type Scenario<State> = {
  name: string
  /** On a server without a fault. */
  prepare: (lab: DeployLab) => Promise<State>
  /** The requests of the scenario. Calls throw once the process has died. */
  act: (lab: DeployLab, state: State) => Promise<void>
  /** On the restarted server, before everything must be settled. */
  afterwards?: (lab: DeployLab, state: State) => Promise<void>
  /** Violations besides the invariants. */
  expected: (lab: DeployLab, state: State) => Promise<string[]>
}

type SweepLab = DeployLab & { neighbour: Neighbour; weight: Resources }

/** One point: the process dies at its n-th side effect, restarts, and everything must be consistent. False if there is no n-th. */
async function crashAt<State>(lab: SweepLab, scenario: Scenario<State>, fault: Omit<Fault, 'ms'>): Promise<boolean> {
  const state = await scenario.prepare(lab)
  await settled(lab, async () => await violations(lab))
  const kept = await plantVolume(lab)
  await lab.berth.stop()
  lab.berth.env['BERTH_TEST_FAULT'] = JSON.stringify({ ...fault, ms: 0 })
  await lab.berth.startAgain()
  const writes = listenToWrites(lab)
  await scenario.act(lab, state).catch(() => undefined)
  const hasDied = await isDead(lab)
  writes.stop()
  await lab.berth.stop()
  delete lab.berth.env['BERTH_TEST_FAULT']
  await lab.berth.startAgain()
  const lost = writes.lost()
  await scenario.afterwards?.(lab, state)
  await settled(lab, async () => [
    ...lost,
    ...(await violations(lab)),
    ...(await scenario.expected(lab, state)),
    ...(await missing(lab, kept)),
    ...lab.neighbour.failures,
    ...heavier(lab.weight, await resourcesOf(lab.berth.pid())),
  ])
  for (const { id } of await lab.owner.call('apps.listAll'))
    if (id !== lab.neighbour.appId) await lab.owner.call('apps.delete', { appId: id })
  return hasDied
}

/** Waits until the process has died, or until nothing is left to do. */
async function isDead(lab: DeployLab): Promise<boolean> {
  const seen = await until(
    async () => ({
      isGone: await lab.berth.raw('GET', '/health').then(
        () => false,
        () => true,
      ),
      jobs: lab.rows('select id from job').length,
    }),
    ({ isGone, jobs }) => isGone || jobs === 0,
  )
  return seen.isGone
}

async function settled(lab: DeployLab, wrong: () => Promise<string[]>): Promise<void> {
  const unhurried = async () => {
    await sleep(150) // each check queries the engine and reads every log
    return await wrong()
  }
  await until(unhurried, (list) => list.length === 0).catch((cause: unknown) => {
    throw new Error(`${String(cause)}\n${lab.berth.log().split('\n').slice(-25).join('\n')}`)
  })
}

/** A volume with our label that belongs to no app of the scenario: it must never be removed (I6). */
async function plantVolume(lab: DeployLab): Promise<string> {
  const name = volumeName(lab.instance, 1)
  await lab.engine.volumes.ensure(name, labelsOf({ instance: lab.instance, kind: 'volume', appId: 1 }))
  return name
}

async function missing(lab: DeployLab, volume: string): Promise<string[]> {
  const names = (await lab.engine.volumes.list({ labels: ownedBy(lab) })).map(({ name }) => name)
  return names.includes(volume) ? [] : ['I6: a volume is gone']
}

/** `visits` are those of the bystander apps while the servers died and restarted. */
export type Swept = { points: number; failures: string[]; visits: number }

type SweepOptions = {
  kind: 'crash-before' | 'crash-after'
  from?: number
  stride?: number
  most?: number
  /** How many servers share the points: most of a point is waiting for the engine. */
  labs?: number
  onPoint?: (words: string) => void
  /** Makes a PostgreSQL database, of which each server gets one; without it the servers use SQLite. */
  createDatabase?: () => Promise<string>
}

/** Every point of a scenario, or every `stride`-th, until one is no longer reached. After a failed point a fresh server is used. */
export async function sweep<State>(scenario: Scenario<State>, options: SweepOptions): Promise<Swept> {
  const { kind, from: first = 1, stride = 1, most = 100, labs = 1, onPoint = () => undefined, createDatabase } = options
  const swept: Swept = { points: 0, failures: [], visits: 0 }
  const misses = new Set<number>()
  // There is no point after a side effect that fails, but the next one may have one.
  const isLast = (at: number) => misses.has(at) && (kind === 'crash-before' || misses.has(at - stride))
  let next = first
  const hasMore = () => next <= most && ![...misses].some(isLast)

  async function work(): Promise<void> {
    let lab = await openSweepLab(createDatabase)
    while (hasMore()) {
      const at = next
      next += stride
      const from = performance.now()
      const outcome = await crashAt(lab, scenario, { kind, at }).catch((cause: unknown) => String(cause))
      onPoint(`${scenario.name}, ${kind} ${at}: ${outcome}, ${Math.round((performance.now() - from) / 1000)} s`)
      if (outcome === false) misses.add(at)
      else swept.points += 1
      if (typeof outcome === 'boolean') continue
      swept.failures.push(`${scenario.name}, ${kind} ${at}: ${outcome}`)
      swept.visits += await close(lab)
      lab = await openSweepLab(createDatabase)
    }
    swept.visits += await close(lab)
  }

  await Promise.all(Array.from({ length: labs }, work))
  return swept
}

async function openSweepLab(createDatabase: SweepOptions['createDatabase']): Promise<SweepLab> {
  const lab = await openDeployLab({
    runs: 'as a process',
    ...(createDatabase && { env: { BERTH_DATABASE_URL: await createDatabase() } }),
    tuning: { stabilityMs: 200, drainMs: 100, stopGraceSeconds: 0, reconcileMs: 500 },
  })
  const neighbour = await openNeighbour(lab)
  await settled(lab, async () => await violations(lab))
  return { ...lab, neighbour, weight: await resourcesOf(lab.berth.pid()) }
}

async function close(lab: SweepLab): Promise<number> {
  await lab.neighbour.stop()
  await lab[Symbol.asyncDispose]()
  return lab.neighbour.visits()
}
