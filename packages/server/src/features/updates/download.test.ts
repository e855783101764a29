import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { download } from './download.ts'

const CONTENTS = randomBytes(200_000)
const PIECE = 2000
let directory: string

/** Sends one piece per request and cuts the connection. */
const server = createServer((request, response) => {
  const start = Number(/\d+/.exec(request.headers.range ?? '')?.[0] ?? 0)
  response.writeHead(start > 0 ? 206 : 200, {
    'content-length': CONTENTS.length - start,
    'content-range': `bytes ${start}-${CONTENTS.length - 1}/${CONTENTS.length}`,
  })
  response.write(CONTENTS.subarray(start, start + PIECE), () => response.destroy())
})

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'berth-download-'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(async () => {
  server.close()
  await rm(directory, { recursive: true })
})

it('what arrived before the connection was cut is kept, so that every attempt gets further', async () => {
  const target = join(directory, 'archive')
  const { port } = server.address() as AddressInfo // it listens on a port
  const sha256 = createHash('sha256').update(CONTENTS).digest('hex')
  await download({
    url: `http://127.0.0.1:${port}/archive`,
    archive: { bytes: CONTENTS.length, sha256 },
    target,
    ca: undefined,
    retryMs: 1,
    signal: AbortSignal.timeout(60_000),
    say: async () => undefined,
  })
  expect((await readFile(target)).equals(CONTENTS)).toBe(true)
})
