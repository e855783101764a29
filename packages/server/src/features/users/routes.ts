import type { Handlers } from '../../http/implement.ts'
import type { Invitations } from './invitations.ts'
import type { Users } from './service.ts'

export function userHandlers({ users, invitations }: { users: Users; invitations: Invitations }) {
  return {
    'invitations.list': async () => await invitations.list(),
    'invitations.create': async ({ caller, input }) => await invitations.create(caller, input),
    'invitations.delete': async ({ caller, input }) => await invitations.remove(caller, input.id),
    'users.list': async () => await users.list(),
    'users.create': async ({ caller, input }) => await users.create(caller, input),
    'users.update': async ({ caller, input }) => await users.update(caller, input),
    'users.delete': async ({ caller, input }) => await users.remove(caller, input.id),
  } satisfies Partial<Handlers>
}
