import { mkdir, mkdtemp, readdir, readlink, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { type FastifyInstance, fastify } from 'fastify'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openConnection } from '../../testing/harness/raw-connection.ts'
import { serveDashboard } from './dashboard-files.ts'
import { failureOf } from './error-handler.ts'

let root: string
let app: FastifyInstance

beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'berth-files-'))
  const directory = path.join(root, 'dist')
  await mkdir(path.join(directory, 'assets'), { recursive: true })
  await writeFile(path.join(root, 'secret.txt'), 'not yours')
  await writeFile(path.join(directory, 'index.html'), '<!doctype html>the dashboard')
  await writeFile(path.join(directory, 'assets', 'app-abc.js'), 'run()')
  await writeFile(path.join(directory, 'assets', 'app-abc.js.gz'), gzipSync('run()'))
  await symlink(path.join(root, 'secret.txt'), path.join(directory, 'link.txt'))
  app = fastify()
  app.setErrorHandler((error, _request, reply) => reply.code(failureOf(error).status).send(failureOf(error).body))
  const send = serveDashboard(directory)
  app.setNotFoundHandler((request, reply) => send(request, reply) ?? reply.code(404).send('none'))
})
afterAll(async () => {
  await app.close()
  await rm(root, { recursive: true, force: true })
})

it('serves the same document for every page, and it is revalidated each time', async () => {
  for (const url of ['/', '/apps/7/logs?tail=5']) {
    const answer = await app.inject({ url })
    expect([answer.statusCode, answer.body, answer.headers['cache-control']]).toEqual([200, '<!doctype html>the dashboard', 'no-cache'])
  }
})

it('sends assets with their type, forever, and answers a known one with 304', async () => {
  const answer = await app.inject({ url: '/assets/app-abc.js' })
  expect(answer.headers['content-type']).toContain('text/javascript')
  expect(answer.headers['cache-control']).toContain('immutable')
  const again = await app.inject({ url: '/assets/app-abc.js', headers: { 'if-none-match': String(answer.headers['etag']) } })
  expect(again.statusCode).toBe(304)
})

it('sends the compressed copy to those who take it', async () => {
  const answer = await app.inject({ url: '/assets/app-abc.js', headers: { 'accept-encoding': 'gzip, br' } })
  expect(answer.headers['content-encoding']).toBe('gzip')
  expect(gunzipSync(answer.rawPayload).toString()).toBe('run()')
})

it('answers HEAD without a body', async () => {
  const answer = await app.inject({ method: 'HEAD', url: '/assets/app-abc.js' })
  expect([answer.statusCode, answer.body]).toEqual([200, ''])
})

it.each(['/../secret.txt', '/assets/..%2f..%2fsecret.txt', '/link.txt', '/assets/missing.js', '/.hidden.txt', '/assets/%00.js'])(
  'gives nothing for %s',
  async (url) => {
    const answer = await app.inject({ url })
    expect(answer.body).not.toContain('not yours')
    expect(answer.statusCode).not.toBe(500)
  },
)

it('leaves the API to the API', async () => {
  expect((await app.inject({ url: '/api/nothing' })).body).toBe('none')
})

it('sends the new version of a file that has changed', async () => {
  const file = path.join(root, 'dist', 'changing.txt')
  for (const text of ['before', 'afterwards']) {
    await writeFile(file, text)
    expect((await app.inject({ url: '/changing.txt' })).body).toBe(text)
  }
})

it('holds no file open for those who ask again and again and never read', async () => {
  await writeFile(path.join(root, 'dist', 'large.js'), 'x'.repeat(300_000))
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  const { socket } = await openConnection(address)
  socket.pause()
  let asked = 0
  app.server.on('request', () => (asked += 1))
  socket.write('GET /large.js HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(200))
  await expect.poll(() => asked, { timeout: 10_000 }).toBe(200)
  await new Promise((resolve) => setTimeout(resolve, 200)) // files are opened a moment later
  const files = await Promise.all((await readdir('/proc/self/fd')).map(async (fd) => await readlink(`/proc/self/fd/${fd}`).catch(() => '')))
  expect(files.filter((file) => file.endsWith('large.js'))).toEqual([])
  socket.destroy()
})
