import type { ApplicationChange, Deployment, Suggestion } from '@berth/contract'
import type { AppCall, Caller } from '../../../domain/caller.ts'
import type { AppRow, DeploymentRow } from '../../../domain/rows.ts'
import { AppError } from '../../../lib/app-error.ts'
import type { Reader } from '../../../store/database.ts'
import { isNewest } from '../store.ts'
import { factsIn } from './facts.ts'
import { fixesFor, type PossibleFix } from './suggestions.ts'

type Deps = {
  db: Reader
  changeApp: (call: AppCall, change: ApplicationChange) => Promise<unknown>
  deploy: (call: AppCall) => Promise<Deployment>
  makeRoom: () => Promise<void>
}

/** Only the owner of an app changes its settings; members deploy it and set its variables. */
function mayApply(caller: Caller, app: AppRow, { effect }: PossibleFix): boolean {
  return typeof effect === 'string' || app.created_by === caller.id
}

/** Lists and applies fixes for a failed deployment. Only for the last deployment, because a later one may have fixed it. */
export function createSuggestions({ db, changeApp, deploy, makeRoom }: Deps) {
  async function fixesOf(app: AppRow, deployment: DeploymentRow): Promise<PossibleFix[]> {
    if (deployment.status !== 'failed' || !(await isNewest(db, deployment))) return []
    return fixesFor(factsIn(deployment.failure), app)
  }

  async function list(caller: Caller, app: AppRow, deployment: DeploymentRow): Promise<Suggestion[]> {
    const fixes = await fixesOf(app, deployment)
    return fixes.filter((fix) => mayApply(caller, app, fix)).map(({ id, title, detail, link }) => ({ id, title, detail, link }))
  }

  async function apply(call: AppCall, wanted: { deployment: DeploymentRow; suggestionId: string }): Promise<Deployment> {
    const { caller, app } = call
    const fix = (await fixesOf(app, wanted.deployment)).find(({ id }) => id === wanted.suggestionId)
    if (!fix) throw new AppError('not_found', { message: 'Suggestion not found, or the app has been changed or deployed since.' })
    if (!mayApply(caller, app, fix)) throw new AppError('not_app_owner')
    if (fix.effect === 'opens a page')
      throw new AppError('invalid_request', { message: `suggestionId: "${fix.id}" needs a value. Add the variable, then deploy.` })
    if (fix.effect === 'free disk space') await makeRoom()
    if (typeof fix.effect === 'object') await changeApp({ ...call, again: asOwner(call.again) }, { appId: app.id, ...fix.effect.change })
    return await deploy(call)
  }

  return { list, apply }
}

function asOwner(again: AppCall['again']): AppCall['again'] {
  return async (tx) => {
    const now = await again(tx)
    if (now.app.created_by !== now.caller.id) throw new AppError('not_app_owner')
    return now
  }
}

export type Suggestions = ReturnType<typeof createSuggestions>
