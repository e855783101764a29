import { isStaff } from '../../domain/caller.ts'
import type { ImageUser } from '../../domain/image-user.ts'
import { findUser, isMember, type RegistryRow } from '../../domain/rows.ts'
import type { RegistryCredentials } from '../../engine/registry.ts'
import type { SecretBox } from '../../lib/secret-box.ts'
import type { Reader } from '../../store/database.ts'
import { isPrivateHost, registriesOf, registryFor } from './store.ts'

export function aboutPassword(registryId: number): string {
  return `registry-password:${registryId}`
}

/** The credentials that an app may use. They are looked up each time: what was taken away is gone at once. */
export function createCredentials({ db, secrets }: { db: Reader; secrets: SecretBox }) {
  const opened = ({ id, host, username, sealed_password }: RegistryRow): RegistryCredentials => ({
    host,
    username,
    password: secrets.open(sealed_password, aboutPassword(id)),
  })

  async function mayWorkOn(projectId: number, userId: number): Promise<boolean> {
    const user = await findUser(db, userId)
    return user !== undefined && (isStaff(user) || (await isMember(db, projectId, user.id)))
  }

  async function forHost({ projectId, personId }: ImageUser, host: string): Promise<RegistryCredentials | undefined> {
    const ofProject = await registryFor(db, { userId: null, projectId }, host)
    if (ofProject) return opened(ofProject)
    if (personId === null || !(await mayWorkOn(projectId, personId))) return undefined
    const own = await registryFor(db, { userId: personId, projectId: null }, host)
    return own && opened(own)
  }

  /**
   * For what a repository names: base images and services of a compose file. Everybody who can push there could name any image, so the
   * credentials of a person are not used.
   */
  async function ofProject(projectId: number): Promise<RegistryCredentials[]> {
    return (await registriesOf(db, { userId: null, projectId })).map(opened)
  }

  return { forHost, ofProject, isPrivateHost: async (host: string) => await isPrivateHost(db, host) }
}

export type Credentials = ReturnType<typeof createCredentials>
