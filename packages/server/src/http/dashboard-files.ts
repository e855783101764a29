import { existsSync, lstatSync, readFileSync, type Stats } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../lib/app-error.ts'

const HASHED = 'public, max-age=31536000, immutable'
/** File names that cannot leave the directory: no segment begins with a dot, and nothing is decoded. */
const PLAIN_PATH = /^(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)+$/
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
}

function statOf(file: string): Stats | undefined {
  const found = lstatSync(file, { throwIfNoEntry: false })
  return found?.isFile() ? found : undefined
}

/** The build leaves a compressed copy beside each file. */
export function takesGzip(request: FastifyRequest): boolean {
  return /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))
}

/** The bytes of each version of a file are read once and shared, even by clients that never read the response. */
function createKeptFiles() {
  const kept = new Map<string, { etag: string; bytes: Buffer }>()
  return (file: string, etag: string): Buffer => {
    const known = kept.get(file)
    if (known?.etag === etag) return known.bytes
    const bytes = readFileSync(file)
    kept.set(file, { etag, bytes })
    return bytes
  }
}

function createSendFile() {
  const bytesOf = createKeptFiles()
  return (request: FastifyRequest, reply: FastifyReply, file: string): FastifyReply => {
    const small = takesGzip(request) ? statOf(`${file}.gz`) : undefined
    const found = small ?? statOf(file)
    if (!found) throw new AppError('not_found')
    if (small) void reply.header('content-encoding', 'gzip')
    const etag = `"${found.size.toString(36)}-${found.mtimeMs.toString(36)}"`
    void reply
      .header('cache-control', file.includes('/assets/') ? HASHED : 'no-cache')
      .header('etag', etag)
      .header('vary', 'accept-encoding')
    if (request.headers['if-none-match'] === etag) return reply.code(304).send()
    void reply.code(200).type(TYPES[extname(file)] ?? 'application/octet-stream')
    if (request.method === 'HEAD') return reply.header('content-length', found.size).send('')
    return reply.send(bytesOf(small ? `${file}.gz` : file, etag))
  }
}

/**
 * Serves the dashboard's files. All pages are one document with client-side routes. We do not use the plugin for static files, because
 * its pattern matcher and table of all MIME types would stay in memory for ten files.
 */
export function serveDashboard(directory: string): (request: FastifyRequest, reply: FastifyReply) => FastifyReply | undefined {
  if (!existsSync(join(directory, 'index.html'))) return () => undefined
  const sendFile = createSendFile()
  return (request, reply) => {
    const isPage = request.method === 'GET' || request.method === 'HEAD'
    const path = request.url.split('?')[0] ?? ''
    if (!isPage || /^\/(api|ws)(\/|$)/.test(path)) return undefined
    if (!/\.[a-z0-9]+$/i.test(path)) return sendFile(request, reply, join(directory, 'index.html'))
    if (!PLAIN_PATH.test(path)) throw new AppError('not_found')
    return sendFile(request, reply, join(directory, path))
  }
}

/** Finds the directory in the repository, wherever the server's bundle is. */
export function dashboardDirectory(): string {
  let directory = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(directory, 'packages', 'dashboard')) && directory !== dirname(directory)) directory = dirname(directory)
  return join(directory, 'packages', 'dashboard', 'dist')
}
