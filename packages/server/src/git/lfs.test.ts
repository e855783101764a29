import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest'
import { createTlsToStrangers } from '../lib/tls-to-strangers.ts'
import { createLfs } from './lfs.ts'
import { createPinnedRequest } from './pinned-request.ts'
import { createSourcePolicy } from './source-policy.ts'
import type { Submodule } from './submodules.ts'

const tls = createTlsToStrangers({ directory: tmpdir(), ca: undefined })
afterAll(() => tls.close())
let directory = ''
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'berth-lfs-'))
  await mkdir(path.join(directory, '.git'))
  await writeFile(path.join(directory, '.gitattributes'), '*.bin filter=lfs diff=lfs merge=lfs -text\n')
})
afterEach(async () => await rm(directory, { recursive: true }))

const oidOf = (text: string) => createHash('sha256').update(text).digest('hex')
const pointerTo = (text: string) => `version https://git-lfs.github.com/spec/v1\noid sha256:${oidOf(text)}\nsize ${text.length}\n`

type Options = {
  texts?: readonly string[]
  hrefOf?: (origin: string, oid: string) => string
  answers?: (oid: string) => string
  status?: number
  breaksOff?: boolean
  /** For files that are not among the texts. */
  errorCode?: number
  /** Sent along with the offers of each batch. */
  padding?: string
  /** The size of the chunks of a file; by default it is sent at once. */
  chunkBytes?: number
  /** Where a GET of this path is redirected to. */
  redirects?: (origin: string, path: string) => string | undefined
}

function chunked(text: string, chunkBytes: number): string {
  const pieces = Array.from({ length: Math.ceil(text.length / chunkBytes) }, (_, at) => text.slice(at * chunkBytes, (at + 1) * chunkBytes))
  return `${pieces.map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`).join('')}0\r\n\r\n`
}

/** A server of Git LFS, as the protocol's document describes it. */
async function startLfsServer({
  texts = [],
  hrefOf,
  answers,
  status = 200,
  breaksOff = false,
  errorCode = 404,
  padding,
  chunkBytes,
  redirects,
}: Options) {
  const seen: string[] = []
  const server = http.createServer((request, response) => {
    void (async () => {
      seen.push(`${request.method} ${request.url} ${request.headers.authorization ?? '-'}`)
      const oid = request.url?.split('/').at(-1) ?? ''
      const location = request.method === 'GET' ? redirects?.(origin, request.url ?? '') : undefined
      if (location !== undefined) return void response.writeHead(302, { location }).end('moved')
      const text = texts.find((each) => oidOf(each) === oid)
      if (request.method === 'GET' && breaksOff) {
        response.writeHead(200, { 'content-length': '8' }).write('the')
        return void setTimeout(() => response.destroy(), 50)
      }
      if (request.method === 'GET' && chunkBytes !== undefined) {
        response.writeHead(200, { 'transfer-encoding': 'chunked', connection: 'close' }).flushHeaders()
        response.socket?.end(chunked(text ?? '', chunkBytes))
        return
      }
      if (request.method === 'GET') return void response.end(answers?.(oid) ?? text)
      let body = ''
      for await (const chunk of request) body += String(chunk)
      const { objects } = JSON.parse(body) as { objects: { oid: string; size: number }[] }
      const offers = objects.map((each) => {
        const href = hrefOf?.(origin, each.oid) ?? `${origin}/files/${each.oid}`
        const isThere = texts.some((one) => oidOf(one) === each.oid)
        return isThere
          ? {
              ...each,
              actions: {
                download: {
                  href,
                  header: { Authorization: 'RemoteAuth x', Host: 'other', Trailer: 'x', TE: 'x', 'bad\nname': 'x', Bad: 'a\r\nb' },
                },
              },
            }
          : { ...each, error: { code: errorCode, message: 'Not today' } }
      })
      response.writeHead(status, { 'content-type': 'application/vnd.git-lfs+json' }).end(JSON.stringify({ objects: offers, padding }))
    })()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // a listening TCP server has one
  const origin = `http://127.0.0.1:${port}`
  const close = async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  return { url: `${origin}/owner/shop.git`, origin, seen, [Symbol.asyncDispose]: close }
}

type FetchOptions = { maxBytes?: number; submodules?: readonly Submodule[]; privateHosts?: readonly string[] }

async function fetchFrom(url: string, { maxBytes = 1_000_000, submodules = [], privateHosts = [] }: FetchOptions = {}) {
  const policy = createSourcePolicy({ privateHosts, ownPorts: async () => [], connectTimeoutMs: 2000 })
  const fetchLfs = createLfs({ request: createPinnedRequest({ policy, tls }), limits: { maxBytes, maxFiles: 1000 } })
  const wanted = { directory, submodules, signal: AbortSignal.timeout(10_000), onActivity: () => undefined }
  return await fetchLfs({ url, privileged: true }, wanted)
}
const text = async (name: string) => await readFile(path.join(directory, name), 'utf8')

it('long addresses of many files are read, and an answer that is longer than its files need is not', async () => {
  const texts = Array.from({ length: 60 }, (_, n) => `file ${n}`)
  for (const [n, each] of texts.entries()) await writeFile(path.join(directory, `${n}.bin`), pointerTo(each))
  {
    await using server = await startLfsServer({ texts, hrefOf: (origin, oid) => `${origin}/${'signed/'.repeat(300)}${oid}` })
    expect(await fetchFrom(server.url)).toEqual({ fetched: 60, missing: [] })
    expect(server.seen.filter((line) => line.startsWith('POST '))).toHaveLength(2)
  }
  for (const [n, each] of texts.entries()) await writeFile(path.join(directory, `${n}.bin`), pointerTo(each))
  await using server = await startLfsServer({ texts, padding: ' '.repeat(250_000) })
  await expect(fetchFrom(server.url)).rejects.toThrow('The Git LFS server sends more than Berth can read.')
})

it('every pointer becomes its file, with its mode, and a file that is there twice is fetched once', async () => {
  await using server = await startLfsServer({ texts: ['the first file', 'the second file'] })
  for (const name of ['a.bin', 'b.bin']) await writeFile(path.join(directory, name), pointerTo('the first file'))
  await writeFile(path.join(directory, 'c.bin'), pointerTo('the second file'))
  await chmod(path.join(directory, 'c.bin'), 0o755)
  await symlink('a.bin', path.join(directory, 'link.bin'))
  expect(await fetchFrom(server.url)).toEqual({ fetched: 3, missing: [] })
  expect([await text('a.bin'), await text('b.bin'), await text('c.bin')]).toEqual(['the first file', 'the first file', 'the second file'])
  expect((await stat(path.join(directory, 'c.bin'))).mode & 0o777).toBe(0o755)
  expect(server.seen.map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual([
    'POST /owner/shop.git/info/lfs/objects/batch',
    `GET /files/${oidOf('the first file')}`,
    `GET /files/${oidOf('the second file')}`,
  ])
})

it('pointers to files that the server does not have stay, and are named', async () => {
  await using server = await startLfsServer({ texts: ['the file'] })
  await writeFile(path.join(directory, 'a.bin'), pointerTo('the file'))
  for (const name of ['b.bin', 'example.txt']) await writeFile(path.join(directory, name), pointerTo('nowhere'))
  const { fetched, missing } = await fetchFrom(server.url)
  expect([fetched, missing.toSorted()]).toEqual([1, ['b.bin', 'example.txt']])
  expect([await text('a.bin'), await text('example.txt')]).toEqual(['the file', pointerTo('nowhere')])
})

/** The repository and two submodules, one in the other, with a pointer each. */
async function withSubmodules(texts: readonly [string, string, string]): Promise<void> {
  await mkdir(path.join(directory, 'lib', 'theme'), { recursive: true })
  for (const [index, folder] of ['.', 'lib', 'lib/theme'].entries()) {
    await writeFile(path.join(directory, folder, '.gitattributes'), '*.bin filter=lfs\n')
    await writeFile(path.join(directory, folder, 'a.bin'), pointerTo(texts[index] ?? ''))
  }
}
const submodulesAt = (first: string, second: string, privileged = true): Submodule[] => [
  { path: 'lib', source: { url: first, privileged } },
  { path: 'lib/theme', source: { url: second, privileged } },
]

it('the files of each submodule are asked of its own server alone', async () => {
  const texts = ['file of the top', 'file of lib', 'file of theme'] as const
  await using server = await startLfsServer({ texts: [texts[0]] })
  await using lib = await startLfsServer({ texts: [texts[1]] })
  await using theme = await startLfsServer({ texts: [] })
  await withSubmodules(texts)
  const result = await fetchFrom(server.url, { submodules: submodulesAt(lib.url, theme.url) })
  expect(result).toEqual({ fetched: 2, missing: ['lib/theme/a.bin'] })
  expect([await text('a.bin'), await text('lib/a.bin'), await text('lib/theme/a.bin')]).toEqual([texts[0], texts[1], pointerTo(texts[2])])
  expect([server.seen.length, lib.seen.length, theme.seen.length]).toEqual([2, 2, 1])
})

it('the files of a submodule at a private address are refused, which the message names', async () => {
  await using server = await startLfsServer({ texts: ['one'] })
  await using other = await startLfsServer({ texts: ['two', 'three'] })
  await withSubmodules(['one', 'two', 'three'])
  await expect(fetchFrom(server.url, { submodules: submodulesAt(other.url, other.url, false) })).rejects.toThrow(
    /^The Git LFS files of the submodule "lib" could not be fetched\. .*private address/,
  )
  expect(other.seen).toEqual([])
})

it('the files of all submodules count together', async () => {
  await using server = await startLfsServer({ texts: ['x'.repeat(2000)] })
  await withSubmodules(['x'.repeat(2000), 'x'.repeat(2000), 'x'.repeat(2000)])
  await expect(fetchFrom(server.url, { maxBytes: 5000, submodules: submodulesAt(server.url, server.url) })).rejects.toThrow(
    /with its Git LFS files/,
  )
  expect(server.seen).toEqual([])
})

it('a repository without Git LFS asks nobody', async () => {
  await writeFile(path.join(directory, '.gitattributes'), '')
  await writeFile(path.join(directory, 'a.bin'), pointerTo('x'))
  expect((await fetchFrom('http://127.0.0.1:1/a.git')).fetched).toBe(0)
})

it.each<[string, Options, RegExp]>([
  ['a file that cannot be given', { errorCode: 422 }, /a\.bin: the Git LFS server does not offer this file\. Not today/],
  ['another file', { texts: ['the file'], answers: () => 'the fil3' }, /sent another file/],
  ['a longer file', { texts: ['the file'], answers: () => 'the file and more' }, /sent another file/],
  ['a file that breaks off', { texts: ['the file'], breaksOff: true }, /The connection to 127\.0\.0\.1 failed/],
  ['a refusal', { texts: ['the file'], status: 401 }, /does not let Berth read the Git LFS files/],
  ['a file at a private address', { texts: ['the file'], hrefOf: () => 'http://127.0.0.2:9/x' }, /private address/],
  ['a redirect to a private address', { texts: ['the file'], redirects: () => 'http://127.0.0.2:9/x' }, /private address/],
  ['a redirect to a file of the machine', { texts: ['the file'], redirects: () => 'file:///etc/passwd' }, /only fetched over https/],
  ['an endless redirect', { texts: ['the file'], redirects: (origin) => `${origin}/again` }, /answers 302/],
  ['a redirect to nowhere', { texts: ['the file'], redirects: () => 'http://' }, /answers 302/],
  ['a file of the machine', { texts: ['the file'], hrefOf: () => 'file:///etc/passwd' }, /only fetched over https/],
  ['a file at the metadata address', { texts: ['the file'], hrefOf: () => 'http://169.254.169.254/x' }, /never allowed/],
])('%s is refused, and the pointer stays', async (_name, options, why) => {
  await using server = await startLfsServer(options)
  await writeFile(path.join(directory, 'a.bin'), pointerTo('the file'))
  await expect(fetchFrom(server.url)).rejects.toThrow(why)
  expect(await text('a.bin')).toBe(pointerTo('the file'))
})

it('a redirect is followed, with the headers only on the same host', async () => {
  const moved = (_origin: string, from: string) => (from.startsWith('/files/') ? from.replace('/files/', '/moved/') : undefined)
  await using server = await startLfsServer({ texts: ['the file'], redirects: moved })
  await writeFile(path.join(directory, 'a.bin'), pointerTo('the file'))
  expect((await fetchFrom(server.url)).fetched).toBe(1)
  expect(await text('a.bin')).toBe('the file')
  expect(server.seen.slice(1)).toEqual(['files', 'moved'].map((folder) => `GET /${folder}/${oidOf('the file')} RemoteAuth x`))
})

it('a redirect to another host gets no headers, not even when it leads back', async () => {
  await using other = await startLfsServer({ redirects: (_origin, from) => `${server.origin}${from.replace('/there/', '/back/')}` })
  const away = (_origin: string, from: string) =>
    from.startsWith('/files/') ? `${other.origin}${from.replace('/files/', '/there/')}` : undefined
  await using server = await startLfsServer({ texts: ['the file'], redirects: away })
  await writeFile(path.join(directory, 'a.bin'), pointerTo('the file'))
  expect((await fetchFrom(server.url, { privateHosts: ['127.0.0.1'] })).fetched).toBe(1)
  expect(other.seen).toEqual([`GET /there/${oidOf('the file')} -`])
  expect(server.seen.at(-1)).toBe(`GET /back/${oidOf('the file')} -`)
})

it('a file in chunks of a byte is refused, and one in ordinary chunks is not', async () => {
  const large = 'x'.repeat(400_000)
  await writeFile(path.join(directory, 'a.bin'), pointerTo(large))
  await using tiny = await startLfsServer({ texts: [large], chunkBytes: 1 })
  await expect(fetchFrom(tiny.url)).rejects.toThrow('in pieces that are too small')
  await using ordinary = await startLfsServer({ texts: [large], chunkBytes: 512 })
  expect((await fetchFrom(ordinary.url)).fetched).toBe(1)
})

it('files that are too large together are not asked for', async () => {
  await using server = await startLfsServer({ texts: ['x'.repeat(5000)] })
  await writeFile(path.join(directory, 'a.bin'), pointerTo('x'.repeat(5000)))
  await expect(fetchFrom(server.url, { maxBytes: 4000 })).rejects.toThrow(/with its Git LFS files/)
  expect(server.seen).toEqual([])
})

it('a cancel ends a download, with the reason of the cancel', async () => {
  const silent = http.createServer(() => undefined)
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo // a listening TCP server has one
  await writeFile(path.join(directory, 'a.bin'), pointerTo('the file'))
  const policy = createSourcePolicy({ privateHosts: [], ownPorts: async () => [], connectTimeoutMs: 2000 })
  const fetchLfs = createLfs({ request: createPinnedRequest({ policy, tls }) })
  const cancel = new AbortController()
  silent.once('request', () => cancel.abort(new Error('cancelled by a person')))
  const source = { url: `http://127.0.0.1:${port}/a.git`, privileged: true }
  await expect(fetchLfs(source, { directory, signal: cancel.signal, onActivity: () => undefined })).rejects.toThrow('cancelled by a person')
  silent.closeAllConnections()
  silent.close()
})
