import 'fastify'
import type { Caller } from '../domain/caller.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller, once authenticated. */
    caller: Caller | undefined
  }
}
