import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import http from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { tarOf } from '../../../testing/images/test-images.ts'
import { createTransport } from '../api/transport.ts'
import { createDownloads } from '../downloads/downloads.ts'
import { createImages } from '../images.ts'
import { createBuilder } from './build.ts'
import { createBuildLimits } from './limits.ts'

let directory = ''
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'berth-build-test-'))
})
afterAll(() => rm(directory, { recursive: true }))

const servers: http.Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

/** An engine whose builds send what the test says, as fast as it is read, until they are cancelled. */
async function engineThatSends(messages: () => Iterable<string>) {
  const seen = { closed: Promise.withResolvers<void>(), sent: 0, isCancelled: false, query: new URLSearchParams() }
  async function answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    request.resume()
    if (request.url?.includes('/build/cancel')) seen.isCancelled = true
    if (!request.url?.includes('/build?')) return void response.writeHead(200, { 'api-version': '1.41' }).end()
    seen.query = new URL(request.url, 'http://engine').searchParams
    response.once('close', () => seen.closed.resolve())
    for (const message of messages()) {
      if (response.destroyed || seen.isCancelled) break
      seen.sent += 1
      if (!response.write(`${message}\n`)) await Promise.race([once(response, 'drain'), seen.closed.promise])
    }
    response.end()
  }
  const server = http.createServer((request, response) => void answer(request, response))
  const socketPath = path.join(directory, `${Math.random()}.sock`)
  server.listen(socketPath)
  servers.push(server)
  await once(server, 'listening')
  const limits = createBuildLimits({ log: { info: () => undefined, warn: () => undefined } })
  const transport = createTransport({ address: { socketPath } })
  return {
    build: createBuilder({
      transport,
      images: createImages({ transport, downloads: createDownloads() }),
      downloads: createDownloads(),
      limits,
      cgroupDriver: async () => 'cgroupfs',
    }),
    seen,
  }
}

type Build = Awaited<ReturnType<typeof engineThatSends>>['build']

function run(build: Build, signal = AbortSignal.timeout(30_000)) {
  const lines: string[] = []
  const told = { activity: 0 }
  const request = { contextTar: tarOf({ Dockerfile: 'FROM x\n' }), dockerfile: 'Dockerfile', tag: 'x:1', labels: {} }
  const onActivity = () => void (told.activity += 1)
  return { lines, told, work: build({ ...request, onLine: (line) => lines.push(line), onActivity, signal }) }
}

const trace = (aux: Buffer) => JSON.stringify({ id: 'moby.buildkit.trace', aux: aux.toString('base64') })
const EMPTY = trace(Buffer.alloc(0))
const IMAGE = JSON.stringify({ id: 'moby.image.id', aux: { ID: 'sha256:abc' } })
/** A StatusResponse with one log line: vertex "a" printed "hello". */
const HELLO = trace(Buffer.from('1a0d0a01611801220668656c6c6f0a', 'hex'))

function* repeated(message: string, times = Number.POSITIVE_INFINITY): Generator<string> {
  for (let n = 0; n < times; n += 1) yield message
}

describe('a build that the engine has lost track of', () => {
  it('returns an image that comes between the empty messages, and closes the connection', async () => {
    const { build, seen } = await engineThatSends(function* () {
      yield HELLO
      yield* repeated(EMPTY, 3000)
      yield IMAGE
      yield* repeated(EMPTY)
    })
    const { lines, work } = run(build)
    expect(await work).toEqual({ imageId: 'sha256:abc' })
    expect(lines.filter((line) => line.includes('printed more at once'))).toHaveLength(1)
    await seen.closed.promise
  })

  it('returns an image that came before the empty messages', async () => {
    const { build } = await engineThatSends(function* () {
      yield IMAGE
      yield* repeated(EMPTY)
    })
    expect(await run(build).work).toEqual({ imageId: 'sha256:abc' })
  })

  it('reports no progress, and is ended on abort', async () => {
    const { build, seen } = await engineThatSends(() => repeated(EMPTY))
    const stop = new AbortController()
    const { told, work } = run(build, stop.signal)
    work.catch(() => undefined) // looked at below
    await expect.poll(() => seen.sent).toBeGreaterThan(1000)
    const before = told.activity // the upload of the context
    await sleep(300)
    expect(told.activity).toBe(before)
    stop.abort(new Error('nothing happened'))
    await expect(work).rejects.toThrow('nothing happened')
  })

  it('is not confused with one that says nothing for a while', async () => {
    const { build } = await engineThatSends(function* () {
      yield* repeated(EMPTY, 10)
      yield HELLO
      yield* repeated(EMPTY, 10)
      yield IMAGE
      yield HELLO
    })
    const { lines, told, work } = run(build)
    await work
    expect(lines).toEqual(['#1 hello', '#1 hello'])
    expect(told.activity).toBeGreaterThanOrEqual(3)
  })
})

it('arguments that steer the builder do not reach it', async () => {
  const { build, seen } = await engineThatSends(() => [])
  const request = {
    contextTar: tarOf({ Dockerfile: 'FROM x\n' }),
    dockerfile: 'Dockerfile',
    tag: 'x:1',
    labels: {},
    onLine: () => undefined,
  }
  const buildArgs = {
    VERSION: '1',
    BUILDKIT_SYNTAX: 'example.com/reader',
    BUILDKIT_CACHE_MOUNT_NS: 'of-another-project',
    BuildKit_Syntax: 'x',
  }
  await build({ ...request, buildArgs, cacheScope: 'own', signal: AbortSignal.timeout(30_000) }).catch(() => undefined) // it names no image
  expect(JSON.parse(seen.query.get('buildargs') ?? '')).toEqual({ VERSION: '1', BUILDKIT_CACHE_MOUNT_NS: 'own' })
})
