import type { IncomingHttpHeaders } from 'node:http'
import type { ErrorCode, OpenPolicy, Policy } from '@berth/contract'
import { type Caller, isStaff } from '../domain/caller.ts'
import * as store from '../domain/rows.ts'
import { EngineUnreachable } from '../engine/api/errors.ts'
import { AppError } from '../lib/app-error.ts'
import type { Reader } from '../store/database.ts'
import { createGitPolicies, type GitSubjects } from './git-policies.ts'
import { createRegistryPolicies, type RegistrySubjects } from './registry-policies.ts'

type Container = { id: string; appId: number }
type InProject = { caller: Caller; project: store.ProjectRow }
type Raw = { raw: { headers: IncomingHttpHeaders; body: Buffer } }
type InApp = { caller: Caller; app: store.AppRow }

/** The object that each policy passes to the handler. */
export type Subjects = GitSubjects &
  RegistrySubjects & {
    anyone: Record<never, never>
    'signed webhook': Raw
    'deploy hook': { app: store.AppRow }
    'signed in': { caller: Caller }
    admin: { caller: Caller }
    owner: { caller: Caller }
    'member of the project': InProject
    'owner of the project': InProject
    'member but not owner of the project': InProject
    'member of the app': InApp
    'owner of the app': InApp
    'steward of the app': InApp
    'member of the env variable': InApp & { envVariable: store.EnvVariableRow }
    'member of the domain': InApp & { domain: store.DomainRow }
    'member of the deployment': InApp & { deployment: store.DeploymentRow }
    'member of the container': InApp & { container: Container }
  }

type Ids = Partial<Record<'id' | 'projectId' | 'appId' | 'deploymentId' | 'installationId' | 'accountId' | 'registryId', number>> & {
  containerId?: string
}
type Loader<P extends Policy> = (caller: Caller, ids: Ids) => Promise<Subjects[P]>
export type Loaders = { [P in Exclude<Policy, OpenPolicy>]: Loader<P> }

const OWNER_STAYS = 'The owner of a project is always a member of it. You can delete the project instead.'
const NO_MEMBER = 'You are not a member of this project.'

function found<Row>(row: Row | undefined, code: ErrorCode): Row {
  if (row === undefined) throw new AppError(code)
  return row
}

/** Without the engine the owner of the container is unknown. */
function engineAway(cause: unknown): never {
  if (cause instanceof EngineUnreachable) throw new AppError('engine_unreachable', { cause })
  throw cause
}

function role(allowed: readonly Caller['role'][]) {
  return async (caller: Caller) => {
    if (!allowed.includes(caller.role)) throw new AppError('not_allowed')
    return { caller }
  }
}

function projectPolicies(db: Reader, loadProject: Loader<'member of the project'>) {
  return {
    'member of the project': loadProject,
    'owner of the project': async (caller, ids) => {
      const subject = await loadProject(caller, ids)
      if (!isStaff(caller) && subject.project.owner_id !== caller.id) throw new AppError('not_allowed')
      return subject
    },
    'member but not owner of the project': async (caller, ids) => {
      const subject = await loadProject(caller, ids)
      if (subject.project.owner_id === caller.id) throw new AppError('not_allowed', { message: OWNER_STAYS })
      if (!(await store.isMember(db, subject.project.id, caller.id))) throw new AppError('not_allowed', { message: NO_MEMBER })
      return subject
    },
  } satisfies Partial<Loaders>
}

/**
 * The only place that loads objects for requests. An object the caller cannot see and a missing one cause the same error; 403 is for
 * callers who can see it but may not do this.
 */
export function createPolicies(deps: { db: Reader; findContainer: (id: string) => Promise<Container | undefined> }): Loaders {
  const { db } = deps

  async function mayRead(caller: Caller, projectId: number): Promise<boolean> {
    return isStaff(caller) || (await store.isMember(db, projectId, caller.id))
  }

  async function loadProject(caller: Caller, ids: Ids): Promise<InProject> {
    const project = found(await store.findProject(db, ids.projectId ?? ids.id ?? 0), 'project_not_found')
    if (!(await mayRead(caller, project.id))) throw new AppError('project_not_found')
    return { caller, project }
  }

  async function loadApp(caller: Caller, appId: number, missing: ErrorCode = 'app_not_found'): Promise<InApp> {
    const app = found(await store.findApp(db, appId), missing)
    if (!(await mayRead(caller, app.project_id))) throw new AppError(missing)
    return { caller, app }
  }

  return {
    'signed in': async (caller) => ({ caller }),
    admin: role(['admin', 'owner']),
    owner: role(['owner']),
    ...projectPolicies(db, loadProject),
    'member of the app': async (caller, ids) => await loadApp(caller, ids.appId ?? 0),
    'owner of the app': async (caller, ids) => {
      const subject = await loadApp(caller, ids.appId ?? 0)
      if (subject.app.created_by !== caller.id) throw new AppError('not_app_owner')
      return subject
    },
    'steward of the app': async (caller, ids) => {
      const subject = await loadApp(caller, ids.appId ?? 0)
      if (isStaff(caller) || subject.app.created_by === caller.id) return subject
      const project = await store.findProject(db, subject.app.project_id)
      if (project?.owner_id !== caller.id) throw new AppError('not_allowed')
      return subject
    },
    'member of the env variable': async (caller, ids) => {
      const envVariable = found(await store.findEnvVariable(db, ids.id ?? 0), 'env_variable_not_found')
      return { ...(await loadApp(caller, envVariable.app_id, 'env_variable_not_found')), envVariable }
    },
    'member of the domain': async (caller, ids) => {
      const domain = found(await store.findDomain(db, ids.id ?? 0), 'domain_not_found')
      return { ...(await loadApp(caller, domain.app_id, 'domain_not_found')), domain }
    },
    'member of the deployment': async (caller, ids) => {
      const deployment = found(await store.findDeployment(db, ids.deploymentId ?? ids.id ?? 0), 'deployment_not_found')
      return { ...(await loadApp(caller, deployment.app_id, 'deployment_not_found')), deployment }
    },
    'member of the container': async (caller, ids) => {
      const container = found(await deps.findContainer(ids.containerId ?? '').catch(engineAway), 'container_not_found')
      return { ...(await loadApp(caller, container.appId, 'container_not_found')), container }
    },
    ...createRegistryPolicies(db),
    ...createGitPolicies({ db, mayRead, appIdOf: async (caller, appId) => (await loadApp(caller, appId)).app.id }),
  }
}
