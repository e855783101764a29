import Type, { type Static } from 'typebox'
import { Email, expects, Id, OneOf, Password, Time } from './fields.ts'

/** In ascending order, which decides who may grant what. */
export const ROLES = ['user', 'admin', 'owner'] as const
export type Role = (typeof ROLES)[number]

export const Role = OneOf(ROLES)

export const User = Type.Object({ id: Id, email: Type.String(), role: Role, createdAt: Time })
export type User = Static<typeof User>

/** With `cursor`, also returns the number of the newest event, so that a client can follow all events after it. */
export const MeQuery = Type.Object({ with: Type.Optional(OneOf(['cursor'])) })
export const Me = Type.Object({ ...User.properties, cursor: Type.Optional(Type.Integer()) })
export type Me = Static<typeof Me>

export const SignedIn = Type.Object({ user: Type.Object({ id: Id, email: Type.String(), role: Role }) })
export type SignedIn = Static<typeof SignedIn>

/** A password that was set earlier: the rules for new passwords do not apply to it. */
const AnyPassword = Type.String({ minLength: 1, maxLength: 1024, ...expects('a string of 1 to 1,024 characters') })

export const Credentials = Type.Object({ email: Email, password: AnyPassword })
export const SetupRequest = Type.Object({
  token: Type.String({ minLength: 1, maxLength: 256, ...expects('the token of the setup link') }),
  email: Email,
  password: Password,
})
export const PasswordChange = Type.Object({ currentPassword: AnyPassword, newPassword: Password })
export const NewUser = Type.Object({ email: Email, password: Password, role: Type.Optional(Role) })
export const UserChange = Type.Object({
  id: Id,
  email: Type.Optional(Email),
  role: Type.Optional(Role),
  password: Type.Optional(Password),
})
