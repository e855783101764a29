import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createEngine } from '../engine.ts'

const IMAGE = 'registry.example/a/b:1'

/** Speaks as much of the engine's API as this needs, and keeps what it was asked to change. */
async function startEngine(present: string[], mayPull: boolean) {
  const directory = await mkdtemp(join(tmpdir(), 'berth-bases-'))
  const changes: string[] = []
  const forced: (string | null)[] = []
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://engine')
    const pulled = url.searchParams.get('fromImage')
    if (request.method !== 'GET') changes.push(`${request.method} ${pulled ?? url.pathname.replace(/^.*\/images\//, '')}`)
    if (pulled !== null && mayPull) present.push(pulled)
    const named = present.find((name) => url.pathname.includes(name))
    if (request.method === 'DELETE') {
      forced.push(url.searchParams.get('force'))
      present.splice(0)
    }
    const failure = pulled !== null && !mayPull ? { errorDetail: { message: 'pull access denied' } } : {}
    response.writeHead(pulled === null && named === undefined ? 404 : 200, { 'content-type': 'application/json' })
    response.end(`${JSON.stringify({ Id: 'x', Os: 'linux', Architecture: 'arm64', Variant: 'v8', ...failure })}\n`)
  })
  const socketPath = join(directory, 'engine.sock')
  server.listen(socketPath)
  await once(server, 'listening')
  const log = { info: () => undefined, warn: () => undefined }
  return {
    bases: createEngine({ address: { socketPath }, log, now: () => new Date() }).baseImages,
    changes,
    forced,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await rm(directory, { recursive: true })
    },
  }
}
const options = () => ({ signal: AbortSignal.timeout(10_000) })

it('an image is pulled for the first build that uses it, and removed after the last', async () => {
  await using engine = await startEngine([], true)
  const first = await engine.bases.hold(IMAGE, options())
  const second = await engine.bases.hold(IMAGE, options())
  expect(first?.platform).toBe('linux/arm64/v8')
  expect(engine.changes).toEqual([`POST ${IMAGE}`])
  await first?.[Symbol.asyncDispose]()
  expect(engine.changes).toHaveLength(1)
  const leaving = second?.[Symbol.asyncDispose]()
  const third = await engine.bases.hold(IMAGE, options())
  await leaving
  expect(engine.changes).toEqual([`POST ${IMAGE}`, `DELETE ${IMAGE}`, `POST ${IMAGE}`])
  await third?.[Symbol.asyncDispose]()
})

it('an image that existed before is kept', async () => {
  await using engine = await startEngine([IMAGE], true)
  const held = await engine.bases.hold(IMAGE, options())
  await held?.[Symbol.asyncDispose]()
  expect(held).not.toBeNull()
  expect(engine.changes).toEqual([])
})

it('an image that cannot be pulled is requested again by the next build', async () => {
  await using engine = await startEngine([], false)
  for (const _ of [1, 2]) await expect(engine.bases.hold(IMAGE, options())).rejects.toThrow('pull access denied')
  expect(engine.changes.filter((change) => change.startsWith('POST'))).toHaveLength(2)
})

it('two spellings of one image are one, and the engine is not made to remove what a container has', async () => {
  await using engine = await startEngine([], true)
  const first = await engine.bases.hold('docker.io/a/b', options())
  const second = await engine.bases.hold('a/b:latest', options())
  await first?.[Symbol.asyncDispose]()
  expect(engine.changes).toEqual(['POST docker.io/a/b:latest'])
  await second?.[Symbol.asyncDispose]()
  expect(engine.changes).toEqual(['POST docker.io/a/b:latest', 'DELETE docker.io/a/b:latest'])
  expect(engine.forced).toEqual(['false'])
})
