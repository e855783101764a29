import Type from 'typebox'
import { ById, Deleted, Nothing } from '../ids.ts'
import { operation } from '../operation.ts'
import { EndedSessions, Invitation, JoinRequest, NewInvitation, SentInvitation, SessionInfo, SessionOnly } from '../sessions.ts'
import { Credentials, Me, MeQuery, NewUser, PasswordChange, SetupRequest, SignedIn, User, UserChange } from '../users.ts'

/** Setting up, logging in, and the users of the platform. */
// biome-ignore format: a summary line and a line of facts per operation, so that the list reads like a table
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
    method: 'GET', path: '/api/auth/me', may: 'signed in', query: MeQuery, answer: Me,
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
  'auth.sessions': operation({
    summary: 'List your sessions, newest first',
    method: 'GET', path: '/api/auth/sessions', may: 'signed in', answer: Type.Array(SessionInfo),
  }),
  'auth.endSession': operation({
    summary: 'End one of your sessions',
    method: 'DELETE', path: '/api/auth/sessions/delete', may: 'signed in', body: SessionOnly, answer: EndedSessions,
  }),
  'auth.endOtherSessions': operation({
    summary: 'End all your sessions except this one',
    method: 'POST', path: '/api/auth/sessions/end-others', may: 'signed in', answer: EndedSessions,
  }),
  'auth.join': operation({
    summary: 'Accept an invitation: set a password, and log in',
    method: 'POST', path: '/api/auth/join', may: 'anyone', body: JoinRequest, answer: SignedIn,
  }),
  'invitations.list': operation({
    summary: 'List the pending invitations',
    method: 'GET', path: '/api/users/invitations', may: 'admin', answer: Type.Array(Invitation),
  }),
  'invitations.create': operation({
    summary: 'Create an invitation link, valid once and for seven days; it replaces an earlier link for the same email',
    method: 'POST', path: '/api/users/invite', may: 'admin', body: NewInvitation, answer: SentInvitation,
  }),
  'invitations.delete': operation({
    summary: 'Revoke an invitation',
    method: 'DELETE', path: '/api/users/invitations/delete', may: 'admin', body: ById, answer: Deleted,
  }),
} as const
