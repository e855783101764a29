import type { Role } from '@berth/contract'
import type { Generated } from 'kysely'

export type UserTable = { id: Generated<number>; email: string; password_hash: string; role: Role; created_at: string }
/** Failed attempts at several nodes: `slot` is made from the account with a secret. */
export type LoginDelayTable = { slot: number; failures: number; failed_at: string }
export type SessionTable = {
  id: string
  user_id: number
  created_at: string
  expires_at: string
  /** The address and client of the login: empty for sessions from before this was recorded. */
  address: Generated<string>
  client: Generated<string>
}
export type InvitationTable = {
  id: Generated<number>
  email: string
  role: Role
  /** Only a hash, so that somebody who reads the database cannot use the link. */
  token_hash: string
  invited_by: number
  created_at: string
  expires_at: string
}
