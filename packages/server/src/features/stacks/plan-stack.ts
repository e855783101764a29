import type { StackPlan } from '@berth/contract'
import type { Caller } from '../../domain/caller.ts'
import { findComposeText } from '../../domain/compose-text.ts'
import { configOf } from '../../domain/release-config.ts'
import type { AppRow } from '../../domain/rows.ts'
import type { Source } from '../../git/git-visit.ts'
import { fieldError } from '../../lib/app-error.ts'
import type { Reader } from '../../store/database.ts'
import type { AppReading } from '../apps/reading.ts'
import type { StackInput } from '../deployments/release/compose/judge-stack.ts'
import type { ResolveEnvironment } from '../env-variables/resolve-environment.ts'
import type { StackPlans } from './plan.ts'

type Deps = {
  db: Reader
  plans: StackPlans
  sourceFor: AppReading['sourceFor']
  sourceOf: (app: AppRow) => Promise<Source>
  resolveEnvironment: ResolveEnvironment
  endpointsOf: (appId: number) => Promise<Endpoints>
}
type Endpoints = Pick<StackInput, 'endpoints' | 'hasOwnDomain'>
type OfApp = { composeFile?: string; port?: number | null }
type OfNew = OfApp & {
  gitCloneUrl?: string
  gitBranch?: string
  gitProviderId?: number | null
  rootDirectory?: string
  envVars?: Readonly<Record<string, string>>
}

/** The plan of an app's compose file, or of a file for a new app. */
export function createPlanStack({ db, plans, sourceFor, sourceOf, resolveEnvironment, endpointsOf }: Deps) {
  async function ofApp(caller: Caller, app: AppRow, input: OfApp): Promise<StackPlan> {
    const { env } = configOf(app, (await resolveEnvironment(app)).env)
    const port = input.port === undefined ? app.port : input.port
    const stack = { env, port, directory: app.root_directory, ...(await endpointsOf(app.id)) }
    const stored = app.git_clone_url === '' ? await findComposeText(db, app.id) : undefined
    const text = input.composeFile ?? stored
    if (text !== undefined) return await plans.ofText(caller, text, stack)
    if (app.git_clone_url === '')
      throw fieldError('invalid_source', 'appId', 'must be an app with a repository, or composeFile must be given')
    const source = await sourceOf(app)
    return await plans.ofRepository(caller, { ...stack, source, branch: app.git_branch === '' ? null : app.git_branch })
  }

  async function ofNew(caller: Caller, projectId: number, input: OfNew): Promise<StackPlan> {
    const { composeFile, gitCloneUrl: cloneUrl, gitBranch: branch = '', envVars = {}, rootDirectory: directory = '', port = null } = input
    const env = { ...(port !== null && { PORT: String(port) }), ...envVars }
    const stack = { env, port, directory, hasOwnDomain: true } // a new app gets an address
    if (composeFile !== undefined) return await plans.ofText(caller, composeFile, stack)
    if (cloneUrl === undefined) throw fieldError('invalid_request', 'gitCloneUrl', 'must be given, or composeFile')
    const source = await sourceFor(caller, { projectId, accountId: input.gitProviderId ?? undefined, cloneUrl, branch })
    return await plans.ofRepository(caller, { ...stack, source, branch: branch === '' ? null : branch })
  }

  return { ofApp, ofNew }
}

export type PlanStack = ReturnType<typeof createPlanStack>
