import { type Caller, isStaff } from '../domain/caller.ts'
import { findProject, findRegistry, isMember, type RegistryRow } from '../domain/rows.ts'
import { AppError } from '../lib/app-error.ts'
import type { Reader } from '../store/database.ts'

type WithRegistry = { caller: Caller; registry: RegistryRow }
export type RegistrySubjects = { 'user of the registry': WithRegistry; 'owner of the registry': WithRegistry }
type Ids = { registryId?: number }
type Loaders = { [P in keyof RegistrySubjects]: (caller: Caller, ids: Ids) => Promise<WithRegistry> }

/** Who may use saved credentials. Admins see that they are there, and cannot use them: what they open is not theirs. */
export function createRegistryPolicies(db: Reader): Loaders {
  async function load(caller: Caller, ids: Ids): Promise<WithRegistry> {
    const registry = await findRegistry(db, ids.registryId ?? 0)
    if (registry === undefined) throw new AppError('registry_not_found')
    const { project_id: projectId, user_id: userId } = registry
    const isUser = projectId === null ? userId === caller.id : await isMember(db, projectId, caller.id)
    if (!isUser) throw new AppError(isStaff(caller) ? 'not_allowed' : 'registry_not_found')
    return { caller, registry }
  }

  return {
    'user of the registry': load,
    'owner of the registry': async (caller, ids) => {
      const subject = await load(caller, ids)
      const { created_by: by, project_id: projectId } = subject.registry
      if (by === caller.id || projectId === null) return subject
      if ((await findProject(db, projectId))?.owner_id !== caller.id) throw new AppError('not_allowed')
      return subject
    },
  }
}
