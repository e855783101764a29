import Type, { type Static } from 'typebox'
import { Email, expects, Id, Password, Time } from './fields.ts'
import { Role } from './users.ts'

/** A session of the caller. The id only identifies it and cannot be used to log in. */
export const SessionInfo = Type.Object({
  id: Type.String(),
  createdAt: Time,
  expiresAt: Time,
  address: Type.String(),
  /** The client, from its User-Agent. */
  client: Type.String(),
  isCurrent: Type.Boolean(),
})
export type SessionInfo = Static<typeof SessionInfo>
export const SessionOnly = Type.Object({ id: Type.String({ pattern: '^[0-9a-f]{32}$', ...expects('the id of a session') }) })
export const EndedSessions = Type.Object({ ended: Type.Integer() })

export const NewInvitation = Type.Object({ email: Email, role: Type.Optional(Role) })
export const Invitation = Type.Object({
  id: Id,
  email: Type.String(),
  role: Role,
  invitedBy: Type.String(),
  createdAt: Time,
  expiresAt: Time,
})
export type Invitation = Static<typeof Invitation>
/** `link` is the path of the invitation. It is shown only once, because only its hash is stored. */
export const SentInvitation = Type.Object({ ...Invitation.properties, link: Type.String() })
export type SentInvitation = Static<typeof SentInvitation>
export const JoinRequest = Type.Object({
  token: Type.String({ minLength: 1, maxLength: 256, ...expects('the token of the invitation link') }),
  password: Password,
})
