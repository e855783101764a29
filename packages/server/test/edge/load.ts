import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ownCertificate } from '../../testing/harness/own-certificate.ts'
import { type EdgeLab, type LabApp, startEdgeLab, until } from '../../testing/labs/edge-lab.ts'
import { visit } from '../../testing/labs/edge-visitor.ts'
import { type LostReplica, loseOne, scaleTo } from './replica-load.ts'

const CLIENT = path.resolve(import.meta.dirname, '../../testing/fixtures/edge-load.mjs')

type Counts = { finished: number; failed: number; worstMs: number; versions: string[] }
export type LoadReport = { lost: LostReplica[] } & VisitorReport
type VisitorReport = { seconds: number; counts: Record<string, Counts>; failures: string[] }
export type LoadPlan = {
  deploys: number
  rollbacks: number
  domainChanges: number
  certificateChanges: number
  kills: number
  /** New versions of Berth whose edge has another configuration. */
  updates: number
  slowMs: number
  /** How often the changed app grows to three replicas, is deployed, loses one of them, and shrinks again. */
  replicaRounds: number
}
type Worker = { name: string; count: number; everyMs: number; host: string; path: string; app?: string; method?: 'POST'; bytes?: number }

/** Visitors in a process of their own, until `end`. */
async function startVisitors(plan: { port: number; workers: Worker[]; sockets: { name: string; host: string }[] }) {
  const child = spawn(process.execPath, [CLIENT, JSON.stringify(plan)], { stdio: ['pipe', 'pipe', 'inherit'] })
  let out = ''
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
  await until(async () => out.includes('started'), 'the visitors come')
  return {
    async end(): Promise<VisitorReport> {
      const closed = once(child, 'close')
      child.stdin.write('end')
      await closed
      return JSON.parse(out.trim().split('\n').at(-1) ?? '') as VisitorReport // written by our own client
    },
    kill: () => child.kill('SIGKILL'),
  }
}

/** One app that is changed in every way, and a bystander app that must not be affected, both under constant load. */
export async function runLoad(plan: LoadPlan): Promise<LoadReport & { requestsPerSecond: number }> {
  await using lab = await startEdgeLab({ tuning: { drainMs: plan.slowMs + 4000, healthDeadlineMs: 30_000 } })
  const busy = await lab.addApp('Busy', { domain: 'busy.example.test' })
  const steady = await lab.addApp('Steady', { domain: 'steady.example.test' })
  await Promise.all([lab.deployWell(busy), lab.deployWell(steady)])
  const chunks = (plan.slowMs * 2) / 50
  const [changed, neighbour] = ['busy.example.test', 'steady.example.test']
  const visitors = await startVisitors({
    port: lab.httpPort,
    workers: [
      { name: 'GET', count: 8, everyMs: 80, host: changed, path: '/', app: 'Busy' },
      { name: 'long request', count: 4, everyMs: 1, host: changed, path: `/slow?ms=${plan.slowMs}`, app: 'Busy' },
      { name: 'GET of the neighbour', count: 6, everyMs: 80, host: neighbour, path: '/', app: 'Steady' },
      {
        name: 'download of the neighbour',
        count: 1,
        everyMs: 1,
        host: neighbour,
        path: `/stream?count=${chunks}&ms=50&bytes=1000`,
        bytes: chunks * 1000,
      },
    ],
    sockets: [{ name: 'socket of the neighbour', host: neighbour }],
  })
  const posting = { name: 'POST', count: 8, everyMs: 80, host: changed, path: '/upload', method: 'POST' } as const
  const writers = await startVisitors({ port: lab.httpPort, workers: [posting], sockets: [] })
  try {
    await sleep(1000)
    for (const step of stepsOf(plan)) await STEPS[step.kind]({ lab, busy, number: step.number })
    for (let round = 0; round < plan.replicaRounds; round += 1) await growAndShrink({ lab, app: busy }, round)
    const written = await writers.end() // what was sent to a replica that is killed must not be sent to another one
    const lost = await loseReplicas({ lab, app: busy }, plan.replicaRounds)
    const read = await visitors.end()
    const report = { ...read, lost, counts: { ...read.counts, ...written.counts }, failures: [...read.failures, ...written.failures] }
    const done = ['GET', 'POST', 'GET of the neighbour'].reduce((sum, name) => sum + (report.counts[name]?.finished ?? 0), 0)
    return { ...report, requestsPerSecond: Math.round(done / report.seconds) }
  } finally {
    visitors.kill()
    writers.kill()
  }
}

async function growAndShrink(scene: { lab: EdgeLab; app: LabApp }, round: number): Promise<void> {
  await scaleTo(scene, 3)
  await scene.lab.deployWell(scene.app, { version: `replicas-${round + 1}` })
  await scaleTo(scene, 1)
}

async function loseReplicas(scene: { lab: EdgeLab; app: LabApp }, rounds: number): Promise<LostReplica[]> {
  const lost: LostReplica[] = []
  if (rounds > 0) await scaleTo(scene, 3)
  for (let round = 0; round < rounds; round += 1) lost.push(await loseOne(scene))
  return lost
}

type Kind = 'deploy' | 'rollback' | 'domain' | 'certificate' | 'kill' | 'update'
type Step = { kind: Kind; number: number }

/** All kinds mixed evenly, in the same order in every run. */
function stepsOf(plan: LoadPlan): Step[] {
  const wanted = {
    deploy: plan.deploys,
    rollback: plan.rollbacks,
    domain: plan.domainChanges,
    certificate: plan.certificateChanges,
    kill: plan.kills,
    update: plan.updates,
  } as const satisfies Record<Kind, number>
  const all = Object.entries(wanted) as [Kind, number][] // the keys are those of the line above
  return all
    .flatMap(([kind, count]) => Array.from({ length: count }, (_, index) => ({ kind, number: index + 1, at: (index + 0.5) / count })))
    .toSorted((a, b) => a.at - b.at)
}

type Scene = { lab: EdgeLab; busy: LabApp; number: number }

const STEPS = {
  async deploy({ lab, busy, number }) {
    await lab.deployWell(busy, { version: `deploy-${number}` })
  },
  async rollback({ lab, busy }) {
    const target = (await lab.call('deployments.list', { appId: busy.id })).find(
      (deployment) => deployment.can_roll_back && !deployment.is_active,
    )
    if (target === undefined) throw new Error('there is nothing to roll back to')
    const { id } = await lab.call('deployments.rollback', { deploymentId: target.id })
    const ended = await lab.finished(id)
    if (ended.status !== 'success') throw new Error(`the rollback failed: ${ended.error_message}`)
  },
  /** Adds a domain, then removes it: every second step removes what the previous one added. */
  async domain({ lab, busy, number }) {
    const host = `extra-${Math.ceil(number / 2)}.example.test`
    if (number % 2 === 1) await lab.call('domains.create', { appId: busy.id, domain: host })
    else await lab.call('domains.delete', { id: await domainId(lab, busy, host) })
    const status = number % 2 === 1 ? 200 : 404
    await until(async () => (await visit(lab, { host })).status === status, `${host} answers ${status}`)
  },
  async certificate({ lab, busy, number }) {
    const host = 'secure.example.test'
    const domains = await lab.call('domains.list', { appId: busy.id })
    const id = domains.find(({ domain }) => domain === host)?.id ?? (await lab.call('domains.create', { appId: busy.id, domain: host })).id
    const { pem, chain, key } = ownCertificate(host, 20 + number)
    await lab.call('domains.setCertificate', { id, certificate: chain, privateKey: key })
    await until(async () => (await visit(lab, { host, ca: pem }).catch(() => undefined))?.status === 200, 'the new certificate')
  },
  /** Every second time in the middle of a deployment, which the next process finishes. */
  async kill({ lab, busy, number }) {
    await busy.commit({ version: `killed-${number}` })
    const added = number % 2 === 1 ? await lab.call('deployments.add', { appId: busy.id }) : undefined
    if (added) await sleep(2500)
    await lab.berth.kill9()
    await sleep(500)
    await lab.berth.startAgain()
    await lab.edgeReady()
    if (added) await lab.finished(added.id)
  },
  /** Gives HAProxy the configuration of another version while the control plane is down, and restores it. */
  async update({ lab }) {
    const ours = await lab.edgeConfiguration()
    const before = await lab.edgePid()
    await lab.berth.kill9()
    await lab.configureEdgeOtherwise()
    await lab.berth.startAgain()
    await until(async () => (await lab.edgeConfiguration()) === ours, 'the configuration of this version')
    if ((await lab.edgePid()) !== before) throw new Error('the edge was replaced instead of reloaded')
    await lab.edgeReady()
  },
} as const satisfies Record<Kind, (scene: Scene) => Promise<void>>

async function domainId(lab: EdgeLab, app: LabApp, host: string): Promise<number> {
  const found = (await lab.call('domains.list', { appId: app.id })).find(({ domain }) => domain === host)
  if (found === undefined) throw new Error(`no domain ${host}`)
  return found.id
}
