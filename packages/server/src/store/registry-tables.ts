import type { Generated } from 'kysely'

/** Credentials of a person (`user_id`) or of a project (`project_id`), never of both. */
export type RegistryTable = {
  id: Generated<number>
  host: string
  username: string
  sealed_password: string
  user_id: number | null
  project_id: number | null
  created_by: number | null
  /** What is wrong with it; empty if nothing is known to be. */
  error: string
  created_at: string
  updated_at: string
}
/** Registries that somebody has or had credentials for: their private images may be on this machine. */
export type PrivateHostTable = {
  host: string
  /** Its place among them, in the order in which they were added. */
  number: number
}
/** What other servers trust when they pull images from this Berth: one row. */
export type ImageServerTable = { name: string; certificate: string; sealed_key: string; sealed_password: string }
/** What a project got with credentials, by the very bytes. */
export type PrivateImageTable = {
  digest: string
  project_id: number
  repository: string
  /** Its place among all of them, in the order in which they were added. */
  number: number
}
