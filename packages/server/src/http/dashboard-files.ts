import { existsSync } from 'node:fs'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../lib/app-error.ts'

const HASHED = 'public, max-age=31536000, immutable'

/** The dashboard's files. Every page of it is one document; its routes live in the browser. */
export async function serveDashboard(
  app: FastifyInstance,
  directory: string,
): Promise<(request: FastifyRequest, reply: FastifyReply) => FastifyReply | undefined> {
  if (!existsSync(join(directory, 'index.html'))) return () => undefined
  await app.register(fastifyStatic, {
    root: directory,
    wildcard: false,
    index: false,
    setHeaders: (reply, path) => void reply.header('cache-control', path.includes('/assets/') ? HASHED : 'no-cache'),
  })
  return (request, reply) => {
    const isPage = request.method === 'GET' || request.method === 'HEAD'
    const path = request.url.split('?')[0] ?? ''
    if (!isPage || /^\/(api|ws)(\/|$)/.test(path)) return undefined
    if (/\.[a-z0-9]+$/i.test(path)) throw new AppError('not_found')
    return reply.sendFile('index.html')
  }
}
