import type { Handlers } from '../../http/implement.ts'
import type { Users } from './service.ts'

export function userHandlers(users: Users) {
  return {
    'users.list': async () => await users.list(),
    'users.create': async ({ caller, input }) => await users.create(caller, input),
    'users.update': async ({ caller, input }) => await users.update(caller, input),
    'users.delete': async ({ caller, input }) => await users.remove(caller, input.id),
  } satisfies Partial<Handlers>
}
