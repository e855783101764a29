import type { Trigger } from '@berth/contract'
import { type Actor, PLATFORM, recordAudit } from '../../../domain/audit.ts'
import { enqueue, withdrawRun } from '../../../domain/job-names.ts'
import { type AppRow, findProject, isMember } from '../../../domain/rows.ts'
import { QUOTAS } from '../../../lib/quota.ts'
import type { Tx } from '../../../store/database.ts'
import { insertDeployment, moveDeployment, unfinishedOf } from '../store.ts'

/** No person requested these, so a newer one replaces one that is still waiting. */
const AUTOMATIC = ['webhook', 'hook', 'poll'] as const satisfies Trigger[]
const isAutomatic = (trigger: Trigger): boolean => AUTOMATIC.some((each) => each === trigger)
const LONGEST_TEXT = 2000

type Wanted = {
  app: AppRow
  trigger: (typeof AUTOMATIC)[number]
  commit: { hash: string; message: string; author: string }
  by?: Actor
  /** Who asked for it with a deploy hook or by hand, if it was a person. */
  askedBy?: number | null
}

/** Adds a deployment on behalf of a git host or a program, in the caller's transaction. */
export function createAddAutomatic({ now }: { now: () => Date }) {
  return async function addAutomatic(tx: Tx, wanted: Wanted): Promise<{ deploymentId: number } | { problem: string }> {
    const { app, trigger, commit, by = PLATFORM } = wanted
    const at = now()
    const unfinished = await unfinishedOf(tx, app.id)
    const waiting = unfinished.filter(({ status, trigger: its }) => status === 'pending' && isAutomatic(its))
    if (unfinished.length - waiting.length >= QUOTAS.unfinishedOfApp)
      return { problem: `${QUOTAS.unfinishedOfApp} deployments of it are already waiting or running` }
    const row = await insertDeployment(tx, { app, trigger, triggeredBy: null, commit: cut(commit), at })
    for (const { id } of waiting) {
      const change = { finished_at: at.toISOString(), error_message: `Replaced by #${row.number}.` }
      await moveDeployment(tx, { id, from: 'pending', to: 'stopped', at, change })
      await withdrawRun(tx, { deploymentId: id, appId: app.id })
    }
    const person = wanted.askedBy ?? (await whoChoseSource(tx, app))
    await enqueue(tx, 'deployment.run', { deploymentId: row.id, appId: app.id }, { by: person, at })
    const after = { deploymentId: row.id, number: row.number, trigger }
    await recordAudit(tx, at, by, { action: 'deployment.add', subject: 'app', subjectId: app.id, after, automaticFor: person })
    return { deploymentId: row.id }
  }
}

/**
 * Whose turn it takes: otherwise somebody could use the slots of other people by apps in their projects. Not that of the owner of the app,
 * who may have been given it without being asked, nor of somebody who has left the project.
 */
async function whoChoseSource(tx: Tx, { project_id: projectId, source_set_by: chooser }: AppRow): Promise<number | null> {
  const owner = (await findProject(tx, projectId))?.owner_id ?? null
  return chooser !== null && chooser !== owner && (await isMember(tx, projectId, chooser)) ? chooser : owner
}

/** The commit details from the host are stored with every deployment of it. */
function cut({ hash, message, author }: Wanted['commit']): Wanted['commit'] {
  return { hash, message: message.slice(0, LONGEST_TEXT), author: author.slice(0, LONGEST_TEXT) }
}

export type AddAutomatic = ReturnType<typeof createAddAutomatic>
