import type { StackPlan } from '@berth/contract'
import { kindOf } from '../../domain/app-kinds.ts'
import { recordAudit } from '../../domain/audit.ts'
import type { Caller } from '../../domain/caller.ts'
import { findComposeText, setComposeText } from '../../domain/compose-text.ts'
import type { AppRow } from '../../domain/rows.ts'
import { appendEvent } from '../../events/event-log.ts'
import { AppError, fieldError } from '../../lib/app-error.ts'
import type { Db } from '../../store/database.ts'
import type { PlanStack } from './plan-stack.ts'

type Deps = { db: Db; now: () => Date; planOf: PlanStack['ofApp'] }

const NOTHING: StackPlan = { file: '', isAccepted: true, services: [], notes: [], refused: [], variables: [] }
/** Variables may be added later, up to the first deployment. */
const isVariable = (key: string) => key.startsWith('$')

/** The compose file of an app without a repository. */
export function createComposeFiles({ db, now, planOf }: Deps) {
  async function set(caller: Caller, app: AppRow, composeFile: string): Promise<StackPlan> {
    if (!kindOf(app).hasServices) throw fieldError('invalid_request', 'appId', 'must be a compose app')
    if (app.git_clone_url !== '')
      throw fieldError(
        'invalid_request',
        'composeFile',
        'cannot be set, because the app has a repository: change the file there, or clear the clone URL first',
      )
    const plan = composeFile === '' ? NOTHING : await planOf(caller, app, { composeFile })
    const refused = plan.refused.filter(({ key }) => !isVariable(key))
    if (refused.length > 0)
      throw new AppError('invalid_request', {
        message: `composeFile: ${refused.map(({ reason }) => reason).join(' ')}`.slice(0, 4000),
        details: refused.map(({ reason }) => ({ field: 'composeFile', message: reason })),
      })
    const at = now()
    await db.transaction(async (tx) => {
      await setComposeText(tx, app.id, { text: composeFile, at })
      await recordAudit(tx, at, caller, {
        action: 'app.compose_file',
        subject: 'app',
        subjectId: app.id,
        after: { characters: composeFile.length },
      })
      await appendEvent(tx, at, { type: 'app.updated', data: { projectId: app.project_id, appId: app.id } })
    })
    return plan
  }

  return { set, get: async (app: AppRow) => ({ composeFile: (await findComposeText(db, app.id)) ?? '' }) }
}

export type ComposeFiles = ReturnType<typeof createComposeFiles>
