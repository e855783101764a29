import Type from 'typebox'
import { ById, Deleted, Nothing } from '../ids.ts'
import { operation } from '../operation.ts'
import { Credentials, NewUser, PasswordChange, SetupRequest, SignedIn, User, UserChange } from '../users.ts'

/** Setting up, logging in, and the users of the platform. */
// biome-ignore format: one line of words and one of facts for each operation, so that the table can be read as one
export const peopleOperations = {
  'auth.setup': operation({
    summary: 'Create the first account with the one-time link, and log in',
    method: 'POST', path: '/api/setup', may: 'anyone', body: SetupRequest, answer: SignedIn,
  }),
  'auth.login': operation({
    summary: 'Log in; sets the session cookie',
    method: 'POST', path: '/api/auth/login', may: 'anyone', body: Credentials, answer: SignedIn,
  }),
  'auth.logout': operation({
    summary: 'Log out',
    method: 'POST', path: '/api/auth/logout', may: 'signed in', answer: Nothing,
  }),
  'auth.me': operation({
    summary: 'Get the logged-in user',
    method: 'GET', path: '/api/auth/me', may: 'signed in', answer: User,
  }),
  'auth.password': operation({
    summary: 'Change your password; your other sessions end',
    method: 'POST', path: '/api/auth/password', may: 'signed in', body: PasswordChange, answer: Nothing,
  }),

  'users.list': operation({
    summary: 'List all users',
    method: 'POST', path: '/api/users/get', may: 'admin', answer: Type.Array(User),
  }),
  'users.create': operation({
    summary: 'Add a user',
    method: 'POST', path: '/api/users/create', may: 'admin', body: NewUser, answer: User,
  }),
  'users.update': operation({
    summary: 'Change a user; a new role or password ends their sessions',
    method: 'PUT', path: '/api/users/update', may: 'admin', body: UserChange, answer: User,
  }),
  'users.delete': operation({
    summary: 'Delete a user; what they own becomes yours',
    method: 'DELETE', path: '/api/users/delete', may: 'admin', body: ById, answer: Deleted,
  }),
} as const
