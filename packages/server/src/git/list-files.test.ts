import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type GitServer, PROGRAM_PATH, startGitServer } from '../../testing/harness/git-server.ts'
import { RepositoryTooLarge, SourceRefused } from './errors.ts'
import { createGit } from './git.ts'
import { createSourcePolicy } from './source-policy.ts'

const MIB = 1024 ** 2

let server: GitServer
let directory = ''
beforeAll(async () => {
  server = await startGitServer()
})
afterAll(() => server[Symbol.asyncDispose]())
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'berth-look-'))
})
afterEach(async () => {
  server.setMode({ kind: 'normal' })
  const left = await readdir(path.join(directory, 'scratch'))
  await rm(directory, { recursive: true, force: true })
  if (left.length > 0) throw new Error(`A look left ${left.join(', ')} behind.`) // however it ended
})

/** Takes every file; a test of its own shows that the others are left out. */
const isWanted = () => true

function gitWith(options: Pick<Parameters<typeof createGit>[0], 'lookLimits' | 'runAs'> = {}) {
  const policy = createSourcePolicy({ privateHosts: [], ownPorts: async () => [], connectTimeoutMs: 2_000 })
  return createGit({ policy, scratch: path.join(directory, 'scratch'), path: PROGRAM_PATH, retryAfterMs: [10], ...options })
}

const FILES = {
  Dockerfile: { link: 'deep/er/Dockerfile' },
  'deep/er/Dockerfile': 'FROM x',
  'grüße\n.txt': 'x',
  'run.sh': { text: '#', mode: 0o755 },
}
const NAMES = [
  { path: 'Dockerfile', isLink: true },
  { path: 'deep/er/Dockerfile', isLink: false },
  { path: 'grüße\n.txt', isLink: false },
  { path: 'run.sh', isLink: false },
]

it.each(['true', 'false'])(
  'the files of the default branch or of another are named, where the server knows filters: %s',
  async (allowFilter) => {
    const repository = await server.createRepository({ files: FILES, branch: 'trunk' })
    await repository.git(['config', 'uploadpack.allowFilter', allowFilter])
    await repository.commit({ files: { only: 'x' }, branch: 'next', clear: true })
    const source = { url: repository.url, privileged: true }
    expect(await gitWith().listFiles({ ...source, branch: null, isWanted })).toEqual(NAMES)
    expect(await gitWith().listFiles({ ...source, branch: 'next', isWanted })).toEqual([{ path: 'only', isLink: false }])
    expect(await gitWith().listFiles({ url: `file://${repository.directory}`, privileged: true, branch: 'trunk', isWanted })).toEqual(NAMES)
  },
)

it('content is left out if the server supports it, and counts otherwise', async () => {
  const repository = await server.createRepository({ files: { Dockerfile: 'FROM x', large: randomBytes(4 * MIB) } })
  const look = async () =>
    await gitWith({ lookLimits: { maxBytes: MIB, maxFiles: 1_000 } }).listFiles({
      url: repository.url,
      privileged: true,
      branch: 'main',
      isWanted,
    })
  await repository.git(['config', 'uploadpack.allowFilter', 'true'])
  expect((await look()).map((file) => file.path)).toEqual(['Dockerfile', 'large'])
  await repository.git(['config', 'uploadpack.allowFilter', 'false'])
  await expect(look()).rejects.toThrow(RepositoryTooLarge)
})

it('more names than allowed are too large', async () => {
  const { url } = await server.createRepository({ files: Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`f${n}`, 'x'])) })
  const git = gitWith({ lookLimits: { maxBytes: MIB, maxFiles: 150 } })
  await expect(git.listFiles({ url, privileged: true, branch: null, isWanted })).rejects.toThrow('150 files')
})

describe('a tree that was made by hand', () => {
  type Entry = { mode: string; name: string; hash: string }

  /** A repository whose one commit has the tree that `build` makes out of raw objects. */
  async function repositoryOf(build: (write: (entries: readonly Entry[]) => Promise<string>, blob: string) => Promise<string>) {
    const repository = await server.createRepository({ files: { a: 'x' } })
    const blob = (await repository.git(['rev-parse', 'main:a'])).trim()
    const write = async (entries: readonly Entry[]) => {
      const file = path.join(directory, 'tree')
      await writeFile(
        file,
        entries.flatMap(({ mode, name, hash }) => [Buffer.from(`${mode} ${name}\0`), Buffer.from(hash, 'hex')]),
      )
      return (await repository.git(['hash-object', '-w', '-t', 'tree', '--literally', file])).trim()
    }
    const commit = (await repository.git(['commit-tree', await build(write, blob), '-m', 'x'])).trim()
    await repository.git(['update-ref', 'refs/heads/main', commit])
    await repository.git(['config', 'uploadpack.allowFilter', 'true'])
    const source = { url: repository.url, privileged: true, branch: 'main' }
    return {
      look: async (isOne: (name: string) => boolean = () => false) => {
        const git = gitWith({ lookLimits: { maxBytes: MIB, maxFiles: 50_000 } })
        return await git.listFiles({ ...source, isWanted: (file) => isOne(file.path) })
      },
      checkout: async () => await gitWith().checkout({ ...source, hash: commit, into: path.join(directory, 'workspace') }),
    }
  }

  it('has many files, of which only a limited number of matches is kept in memory', async () => {
    const { look } = await repositoryOf(
      async (write, hash) => await write(Array.from({ length: 5_002 }, (_, n) => ({ mode: '100644', name: `f${10_000 + n}`, hash }))),
    )
    expect(await look((name) => name === 'f10007')).toEqual([{ path: 'f10007', isLink: false }])
    await expect(look(() => true)).rejects.toThrow('5000 matching files')
  })

  it('has more bytes of names than it may, in a repository that is small', async () => {
    const { look, checkout } = await repositoryOf(async (write, hash) => {
      const names = Array.from({ length: 30_000 }, (_, n) => ({ mode: '100644', name: `f${n}`.padEnd(7, '-'), hash }))
      return await write([{ mode: '40000', name: 'd'.repeat(4_000), hash: await write(names) }])
    })
    await expect(look()).rejects.toThrow('64 MiB of file names')
    await expect(checkout()).rejects.toThrow('64 MiB of file names')
  })

  it('has a path that no system could write', async () => {
    const { look, checkout } = await repositoryOf(async (write, hash) => await write([{ mode: '100644', name: 'd'.repeat(5 * MIB), hash }]))
    await expect(look()).rejects.toThrow('longer than 4096 bytes')
    await expect(checkout()).rejects.toThrow('longer than 4096 bytes')
  })

  it('has directories without end and no file', async () => {
    const { look } = await repositoryOf(async (write) => {
      let hash = await write([])
      for (let level = 0; level < 8; level += 1)
        hash = await write(Array.from({ length: 50 }, (_, n) => ({ mode: '40000', name: `d${10 + n}`, hash })))
      return hash
    })
    await expect(look()).rejects.toThrow('50000 files and directories')
  })
})

it('a submodule is no file and is not visited', async () => {
  const repository = await server.createRepository({
    files: { a: 'x', '.gitmodules': '[submodule "x"]\n\tpath = x\n\turl = ext::false\n' },
  })
  const tree = `160000,${repository.hash},x`
  await repository.git(['read-tree', 'main'])
  await repository.git(['update-index', '--add', '--cacheinfo', tree])
  const root = (await repository.git(['write-tree'])).trim()
  const commit = (await repository.git(['commit-tree', root, '-m', 'x'])).trim()
  await repository.git(['update-ref', 'refs/heads/main', commit])
  const files = await gitWith().listFiles({ url: repository.url, privileged: true, branch: 'main', isWanted })
  expect(files.map((file) => file.path)).toEqual(['.gitmodules', 'a'])
})

it('a branch that is missing or no name, and a repository without a commit, are said to be', async () => {
  const repository = await server.createRepository({ files: { a: 'x' } })
  const source = { url: repository.url, privileged: true }
  await expect(gitWith().listFiles({ ...source, branch: 'gone', isWanted })).rejects.toThrow('There is no commit on that branch.')
  for (const branch of ['--upload-pack=touch x', '$(id)', 'main:refs/heads/x'])
    await expect(gitWith().listFiles({ ...source, branch, isWanted })).rejects.toThrow(SourceRefused)
  await repository.git(['update-ref', '-d', 'refs/heads/main'])
  await expect(gitWith().listFiles({ ...source, branch: null, isWanted })).rejects.toThrow('There is no commit on that branch.')
})

it('an address that the caller may not use is not contacted', async () => {
  const { url } = await server.createRepository({ files: { a: 'x' } })
  server.requests.length = 0
  await expect(gitWith().listFiles({ url, privileged: false, branch: null, isWanted })).rejects.toThrow(SourceRefused)
  expect(server.requests).toEqual([])
})

it('a server that stalls is abandoned on abort', async () => {
  const { url } = await server.createRepository({ files: { a: 'x' } })
  server.setMode({ kind: 'stall' })
  const stop = new AbortController()
  const before = server.requests.length
  const work = gitWith().listFiles({ url, privileged: true, branch: null, signal: stop.signal, isWanted })
  work.catch(() => undefined)
  await expect.poll(() => server.requests.length, { timeout: 20_000 }).toBeGreaterThan(before)
  stop.abort(new Error('stopped by a person'))
  await expect(work).rejects.toThrow('stopped by a person')
})

it.runIf(process.getuid?.() === 0)('another user of the machine can look, where the tests are root', async () => {
  await rm(directory, { recursive: true })
  await mkdir(directory, { mode: 0o711 })
  const { url } = await server.createRepository({ files: FILES })
  expect(await gitWith({ runAs: { uid: 65534, gid: 65534 } }).listFiles({ url, privileged: true, branch: 'main', isWanted })).toEqual(NAMES)
})
