import type { Deployment, DeploymentsQuery, QueuedDeployment, Trigger } from '@berth/contract'
import { deploysImage, kindOf } from '../../domain/app-kinds.ts'
import { recordAudit } from '../../domain/audit.ts'
import { type AppCall, type Caller, isStaff } from '../../domain/caller.ts'
import { findCommitLink } from '../../domain/commit-link.ts'
import { enqueue } from '../../domain/job-names.ts'
import { countReplicas, refuseMoreReplicas } from '../../domain/replica-quota.ts'
import { type AppRow, type DeploymentRow, findDeployment } from '../../domain/rows.ts'
import { sourceKey } from '../../domain/source-key.ts'
import { isCommitHash } from '../../git/ref.ts'
import { AppError, fieldError } from '../../lib/app-error.ts'
import { QUOTAS, refuseBeyond } from '../../lib/quota.ts'
import type { Step } from '../../lib/step.ts'
import type { Db, Reader, Tx } from '../../store/database.ts'
import type { Cancel } from './cancel.ts'
import { listDeployments, listNewest, listPending, listUnfinished, presentDeployment } from './history/lists-store.ts'
import type { BuildLogs } from './log/build-log.ts'
import { planOf } from './release/store.ts'
import { canRollBackTo, countUnfinishedOf, findActive, insertDeployment, listCommits, unfinishedOf } from './store.ts'

type Commit = { hash: string; message: string; author: string }

type Wanted = { commit?: string; withoutCache?: boolean }

type Deps = {
  db: Db
  logs: Pick<BuildLogs, 'text'>
  /** The newest commit, or undefined if the remote does not answer in time: then the worker asks again. */
  resolveCommit: (app: AppRow) => Promise<Commit | undefined>
  stop: Cancel
  step: Step
  now: () => Date
}

const NO_COMMIT: Commit = { hash: '', message: '', author: '' }

/** Requests deployments. The row, the event and the job are written in one transaction before the response. */
export function createDeployments(deps: Deps) {
  const { db, step, now } = deps

  async function inOneStep<Result>(name: string, write: (tx: Tx) => Promise<Result>): Promise<Result> {
    return await step(name, async () => await db.transaction(write))
  }

  async function request({ app, again }: AppCall, trigger: Trigger, wanted: Wanted = {}): Promise<DeploymentRow> {
    const hash = wanted.commit && (await wholeHash(db, app, wanted.commit))
    const commit = hash ? { ...NO_COMMIT, hash } : ((await deps.resolveCommit(app)) ?? NO_COMMIT)
    return await inOneStep('db.add', async (tx) => {
      const { caller, app: current } = await again(tx)
      await refuseTooMany(tx, caller, current)
      const isFromHere = Boolean(hash) || sourceKey(current) === sourceKey(app)
      const deployment = await insertDeployment(tx, {
        app: current,
        trigger,
        triggeredBy: caller.id,
        commit: isFromHere ? commit : NO_COMMIT,
        withoutCache: wanted.withoutCache === true,
        at: now(),
      })
      await queue(tx, caller, deployment, now())
      return deployment
    })
  }

  async function add(call: AppCall, wanted: Wanted = {}): Promise<QueuedDeployment> {
    const { id, app_id, commit_hash, commit_message, status, stage, progress, created_at } = await request(call, 'manual', wanted)
    return { id, app_id, commit_hash, commit_message, status, stage, progress, created_at }
  }

  async function rollback(caller: Caller, app: AppRow, target: DeploymentRow): Promise<Deployment> {
    const row = await inOneStep('db.rollback', async (tx) => {
      await refuseTooMany(tx, caller, app)
      const release = await findDeployment(tx, target.id)
      const active = await findActive(tx, app.id)
      if (!release || !canRollBackTo(release)) throw new AppError('no_release')
      const commit = { hash: release.commit_hash, message: release.commit_message, author: release.commit_author }
      const before = await countReplicas(tx, app.project_id)
      const deployment = await insertDeployment(tx, {
        app,
        trigger: 'rollback',
        triggeredBy: caller.id,
        commit,
        rollback: { from: active?.id ?? release.id, to: release },
        at: now(),
      })
      await refuseMoreReplicas(tx, app.project_id, { before, field: 'deploymentId' }) // it may bring back processes
      await queue(tx, caller, deployment, now())
      return deployment
    })
    return presentDeployment(row)
  }

  return {
    add,
    create: async (call: AppCall, wanted: Wanted = {}) => presentDeployment(await request(call, 'api', wanted)),
    deploy: async (call: AppCall) => presentDeployment(await request(call, 'manual')),
    stop: deps.stop,
    rollback,
    ...createReads(deps),
  }
}

/** Deployments as the API shows them. */
function createReads({ db, logs }: Pick<Deps, 'db' | 'logs'>) {
  /** Waiting deployments have a position in the queue. */
  async function withPlaces(list: readonly Deployment[]): Promise<Deployment[]> {
    if (!list.some(({ status }) => status === 'pending')) return [...list]
    const waiting = await listPending(db)
    return list.map((each) => (waiting.includes(each.id) ? { ...each, queue_position: waiting.indexOf(each.id) + 1 } : each))
  }

  return {
    list: async (wanted: DeploymentsQuery) => await withPlaces((await listDeployments(db, wanted)).map(presentDeployment)),
    get: async (deployment: DeploymentRow) => {
      const commit_url = (await findCommitLink(db, deployment.id)) ?? deployment.commit_url
      const shown = presentDeployment({ ...deployment, commit_url })
      return (await withPlaces([shown]))[0] ?? shown
    },
    newest: async (caller: Caller) => (await listNewest(db, seenBy(caller))).map(presentDeployment),
    running: async (caller: Caller) => await withPlaces((await listUnfinished(db, seenBy(caller))).map(presentDeployment)),
    log: (deployment: DeploymentRow) => logs.text(deployment.id),
    plan: async (deployment: DeploymentRow) => await planOf(db, deployment),
  }
}

/** The worker finds out whether the host has the commit, when it fetches it. */
async function wholeHash(db: Reader, app: AppRow, commit: string): Promise<string> {
  if (kindOf(app).madeFrom === 'template')
    throw fieldError('invalid_request', 'commit', 'a database app is created from a template and has no commits')
  if (deploysImage(app))
    throw fieldError('invalid_request', 'commit', 'this app runs a ready image and has no commits; change its image instead')
  if (isCommitHash(commit)) return commit
  const [only, other] = await listCommits(db, { appId: app.id, prefix: commit })
  if (only !== undefined && other === undefined) return only
  const problem = only === undefined ? 'no previously deployed commit starts with it' : 'several commits start with it'
  throw fieldError('invalid_request', 'commit', `${problem}; give all 40 digits`)
}

/** Adds its job and the line in the audit log. */
async function queue(tx: Tx, caller: Caller, deployment: DeploymentRow, at: Date): Promise<void> {
  await enqueue(tx, 'deployment.run', { deploymentId: deployment.id, appId: deployment.app_id }, { by: caller.id, at })
  await recordAudit(tx, at, caller, {
    action: deployment.trigger === 'rollback' ? 'deployment.rollback' : 'deployment.add',
    subject: 'app',
    subjectId: deployment.app_id,
    after: { deploymentId: deployment.id, number: deployment.number },
  })
}

/** Undefined for callers who can see everything. */
function seenBy(caller: Caller): number | undefined {
  return isStaff(caller) ? undefined : caller.id
}

async function refuseTooMany(tx: Tx, caller: Caller, app: AppRow): Promise<void> {
  const what = 'deployments that have not ended'
  refuseBeyond(QUOTAS.unfinishedOfApp, (await unfinishedOf(tx, app.id)).length, { field: 'appId', who: 'an app', what })
  if (!isStaff(caller))
    refuseBeyond(QUOTAS.unfinishedOfUser, await countUnfinishedOf(tx, caller.id), { field: 'appId', who: 'a person', what })
}

export type Deployments = ReturnType<typeof createDeployments>
