import type { DeploymentStatus } from '@berth/contract'
import { setMissingPort } from '../../../domain/app-port.ts'
import { setAppStatus, setWanted } from '../../../domain/app-status.ts'
import { type Artifact, columnsOf } from '../../../domain/artifact.ts'
import { type ReleaseConfig, sealConfig } from '../../../domain/release-config.ts'
import type { AppRow, DeploymentRow } from '../../../domain/rows.ts'
import { setStoppedServices } from '../../../domain/stopped-services.ts'
import type { SecretBox } from '../../../lib/secret-box.ts'
import type { Db, Tx } from '../../../store/database.ts'
import { type FailureFacts, storedFacts } from '../failure/facts.ts'
import { findPlan, findReleaseFiles, insertReleaseFiles } from '../release/store.ts'
import { deactivate, findActive, moveDeployment, noteDeployment } from '../store.ts'

type Deps = { db: Db; secrets: SecretBox; now: () => Date }
/** What the app shows after a deployment that failed. */
export type StatusAfter = { status: 'running' | 'stopped' | 'error'; reason: string }

/** The writes of a running deployment. Each is one transaction, and fails if the deployment was ended elsewhere. */
export function createRecord({ db, secrets, now }: Deps) {
  async function begin(row: DeploymentRow, { sealed, sealedFiles = '' }: { sealed: string; sealedFiles?: string }): Promise<DeploymentRow> {
    const at = now()
    const change = { attempts: row.attempts + 1, started_at: row.started_at ?? at.toISOString(), sealed_config: sealed }
    return await db.transaction(async (tx) => {
      await insertReleaseFiles(tx, { deploymentId: row.id, appId: row.app_id, sealed: sealedFiles || (await filesToRunAgain(tx, row)) })
      await setAppStatus(tx, at, row.app_id, { status: row.status === 'deploying' ? 'deploying' : 'building', reason: '' })
      if (row.status === 'pending') return await moveDeployment(tx, { id: row.id, from: 'pending', to: 'building', at, change })
      return await noteDeployment(tx, { id: row.id, status: row.status, at, change })
    })
  }

  async function stage(
    row: DeploymentRow,
    status: DeploymentStatus,
    change: { stage?: DeploymentRow['stage']; progress: number; steps: string },
  ): Promise<DeploymentRow> {
    return await db.transaction(async (tx) => await noteDeployment(tx, { id: row.id, status, at: now(), change }))
  }

  async function commit(row: DeploymentRow, found: { hash: string; message: string; author: string }): Promise<DeploymentRow> {
    const change = { commit_hash: found.hash, commit_message: found.message.slice(0, 2000), commit_author: found.author.slice(0, 200) }
    return await db.transaction(async (tx) => await noteDeployment(tx, { id: row.id, status: 'building', at: now(), change }))
  }

  /** The very image, before it is pulled. */
  async function image(row: DeploymentRow, image_ref: string): Promise<DeploymentRow> {
    return await db.transaction(
      async (tx) => await noteDeployment(tx, { id: row.id, status: 'building', at: now(), change: { image_ref } }),
    )
  }

  /** Of the release, and of the app unless somebody gave it one meanwhile. */
  async function port(row: DeploymentRow, config: ReleaseConfig): Promise<DeploymentRow> {
    const at = now()
    const sealed_config = sealConfig(secrets, row.app_id, config)
    return await db.transaction(async (tx) => {
      await setMissingPort(tx, at, row.app_id, config.port)
      return await noteDeployment(tx, { id: row.id, status: 'building', at, change: { sealed_config } })
    })
  }

  async function deploying(row: DeploymentRow, artifact: Artifact): Promise<DeploymentRow> {
    const at = now()
    return await db.transaction(async (tx) => {
      await setAppStatus(tx, at, row.app_id, { status: 'deploying', reason: '' })
      const known = (await findPlan(tx, row))?.processes?.map(({ from: _from, ...each }) => each)
      const ofPlan = row.release_of === null && known !== undefined // a rollback has those of the release that it brings back
      const change = { ...columnsOf(artifact), ...(ofPlan && { processes: JSON.stringify(known) }) }
      return await moveDeployment(tx, { id: row.id, from: 'building', to: 'deploying', at, change })
    })
  }

  async function release(row: DeploymentRow, release_run: 'begun' | 'done'): Promise<DeploymentRow> {
    return await db.transaction(
      async (tx) => await noteDeployment(tx, { id: row.id, status: 'deploying', at: now(), change: { release_run } }),
    )
  }

  return { begin, stage, commit, image, port, deploying, release, ...createLastWrites({ db, now }) }
}

/** The final writes. */
function createLastWrites({ db, now }: Pick<Deps, 'db' | 'now'>) {
  async function success(app: AppRow, row: DeploymentRow, outcome: { durationSeconds: number; steps: string }): Promise<DeploymentRow> {
    const at = now()
    return await db.transaction(async (tx) => {
      const previous = await findActive(tx, app.id)
      await deactivate(tx, app.id)
      if (row.rolled_back_from !== null && previous?.status === 'success')
        await moveDeployment(tx, { id: previous.id, from: 'success', to: 'rolled_back', at })
      await setAppStatus(tx, at, app.id, { status: 'running', reason: '' })
      await setWanted(tx, app.id, 'running')
      await setStoppedServices(tx, app.id, [])
      const change = {
        stage: 'completed',
        progress: 100,
        is_active: 1,
        finished_at: at.toISOString(),
        duration: outcome.durationSeconds,
        steps: outcome.steps,
        error_message: '',
      } as const
      return await moveDeployment(tx, { id: row.id, from: 'deploying', to: 'success', at, change })
    })
  }

  async function failed(
    row: DeploymentRow,
    outcome: { reason: string; facts: FailureFacts | undefined; durationSeconds: number; steps: string; appStatus: StatusAfter },
  ): Promise<DeploymentRow> {
    const at = now()
    const write = async (tx: Tx) => {
      await setAppStatus(tx, at, row.app_id, outcome.appStatus)
      const change = {
        finished_at: at.toISOString(),
        duration: outcome.durationSeconds,
        steps: outcome.steps,
        error_message: outcome.reason,
        failure: storedFacts(outcome.facts),
      }
      return await moveDeployment(tx, { id: row.id, from: row.status, to: 'failed', at, change })
    }
    return await db.transaction(write, { mayUseReserve: true }) // otherwise a build that filled the disk would be run again
  }

  return { success, failed }
}

export type DeploymentRecord = ReturnType<typeof createRecord>

/**
 * Those of the release that a rollback starts again. They are kept for it while it waits, so that the rollbacks in a queue need no copies.
 */
async function filesToRunAgain(tx: Tx, { status, release_of }: DeploymentRow): Promise<string> {
  return status === 'pending' && release_of !== null ? await findReleaseFiles(tx, release_of) : ''
}
