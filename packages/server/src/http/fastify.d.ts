import 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    /** For the log line; 0 while nobody is known. */
    callerId: number
  }
}
