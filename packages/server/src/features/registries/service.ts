import type { NewRegistry, Registry } from '@berth/contract'
import { recordAudit } from '../../domain/audit.ts'
import { type Again, type Caller, isStaff } from '../../domain/caller.ts'
import { type Ownership, ownershipNow, ownershipOf } from '../../domain/ownership.ts'
import { findRegistry, type RegistryRow } from '../../domain/rows.ts'
import { canonicalRegistry } from '../../engine/image-reference.ts'
import type { RegistryCredentials } from '../../engine/registry.ts'
import { RegistryError } from '../../engine/registry-failure.ts'
import { AppError, fieldError } from '../../lib/app-error.ts'
import { QUOTAS, refuseBeyond } from '../../lib/quota.ts'
import type { SecretBox } from '../../lib/secret-box.ts'
import type { Db, Tx } from '../../store/database.ts'
import { aboutPassword } from './credentials.ts'
import { countRegistries, deleteRegistry, insertRegistry, listRegistries, presentRegistry, registryFor, updateRegistry } from './store.ts'
import { asAppError, type RegistryVisits } from './visits.ts'

type Deps = { db: Db; secrets: SecretBox; visits: Pick<RegistryVisits, 'login'>; now: () => Date }

/** Saved credentials for image registries. They are tried before they are kept. */
export function createRegistries(deps: Deps) {
  const { db, secrets, visits, now } = deps
  const save = createSave(deps)

  async function present(id: number): Promise<Registry> {
    const row = await findRegistry(db, id)
    if (!row) throw new AppError('registry_not_found')
    return presentRegistry(row)
  }

  async function create(caller: Caller, input: NewRegistry, again: Again): Promise<Registry> {
    await ownershipOf(db, caller, input.projectId)
    const credentials = { host: canonicalRegistry(input.host), username: input.username, password: input.password }
    await visits.login(caller, credentials).catch((cause: unknown) => {
      if (cause instanceof RegistryError && cause.kind === 'unauthorized') throw fieldError('registry_refused', 'password', cause.message)
      throw asAppError(cause, 'host')
    })
    const id = await db.transaction(async (tx) => {
      const { caller: by, ...belonging } = await ownershipNow(tx, again, input.projectId)
      return await save(tx, by, { ...belonging, ...credentials })
    })
    return await present(id)
  }

  /** What is wrong is kept with the registry; only a registry that does not answer is a failure of the question. */
  async function check(caller: Caller, registry: RegistryRow): Promise<Registry> {
    const { id, host, username } = registry
    const password = secrets.open(registry.sealed_password, aboutPassword(id))
    const refusal = await visits.login(caller, { host, username, password }).then(
      () => undefined,
      (cause: unknown) => {
        if (cause instanceof RegistryError && !cause.isTransient) return cause
        throw asAppError(cause, 'registryId')
      },
    )
    await db.transaction(async (tx) => await updateRegistry(tx, id, { error: refusal?.message ?? '', updated_at: now().toISOString() }))
    return await present(id)
  }

  async function remove(caller: Caller, { id, host, username, project_id: projectId }: RegistryRow): Promise<{ id: number }> {
    await db.transaction(async (tx) => {
      if (!(await deleteRegistry(tx, id))) throw new AppError('registry_not_found')
      const before = { host, username, projectId }
      await recordAudit(tx, now(), caller, { action: 'registry.delete', subject: 'registry', subjectId: id, before })
    })
    return { id }
  }

  return {
    list: async (caller: Caller) => (await listRegistries(db, isStaff(caller) ? undefined : caller.id)).map(presentRegistry),
    create,
    check,
    remove,
  }
}

export type Registries = ReturnType<typeof createRegistries>

/** Credentials for a host that has some already take their place. */
function createSave({ secrets, now }: Pick<Deps, 'secrets' | 'now'>) {
  return async function save(tx: Tx, caller: Caller, given: Ownership & RegistryCredentials): Promise<number> {
    const at = now()
    const { host, username, userId, projectId } = given
    const same = await registryFor(tx, given, host)
    if (!same)
      refuseBeyond(QUOTAS.registries, await countRegistries(tx, given), {
        field: 'projectId',
        who: 'a person or a project',
        what: 'registries',
      })
    const known = { username, created_by: caller.id, error: '', updated_at: at.toISOString() }
    const row = { ...known, host, sealed_password: '', user_id: userId, project_id: projectId, created_at: at.toISOString() }
    const id = same?.id ?? (await insertRegistry(tx, row))
    await updateRegistry(tx, id, { ...known, sealed_password: secrets.seal(given.password, aboutPassword(id)) })
    const action = same ? 'registry.update' : 'registry.create'
    await recordAudit(tx, at, caller, { action, subject: 'registry', subjectId: id, after: { host, username, projectId } })
    return id
  }
}
