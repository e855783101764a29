import 'fastify'
import type { Caller } from '../domain/caller.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who asks, once a session has shown it. */
    caller: Caller | undefined
  }
}
