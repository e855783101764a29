import type { Handlers } from '../../http/implement.ts'
import type { Auth } from './service.ts'
import type { Sessions } from './sessions.ts'

type Parts = { auth: Auth; sessions: Sessions; lastEventSeq: () => Promise<number> }

export function authHandlers({ auth, sessions, lastEventSeq }: Parts) {
  return {
    'auth.setup': async ({ input, origin, session }) => {
      const { token, answer } = await auth.setUp(input, origin)
      session.begin(token)
      return answer
    },
    'auth.login': async ({ input, origin, session, closed }) => {
      const { token, answer } = await auth.login(input, origin, closed())
      session.begin(token)
      return answer
    },
    'auth.join': async ({ input, origin, session }) => {
      const { token, answer } = await auth.join(input, origin)
      session.begin(token)
      return answer
    },
    'auth.sessions': async ({ caller }) => await sessions.list(caller),
    'auth.endSession': async ({ caller, input }) => await sessions.end(caller, input.id),
    'auth.endOtherSessions': async ({ caller }) => await sessions.endOthers(caller),
    'auth.logout': async ({ caller }) => {
      await auth.logout(caller)
      return {}
    },
    'auth.me': async ({ caller: { id, email, role, createdAt }, input }) => ({
      id,
      email,
      role,
      createdAt,
      ...(input.with === 'cursor' && { cursor: await lastEventSeq() }),
    }),
    'auth.password': async ({ caller, input, again }) => {
      await auth.changePassword(caller, input, again)
      return {}
    },
  } satisfies Partial<Handlers>
}
