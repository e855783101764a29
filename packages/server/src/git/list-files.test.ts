import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { type GitServer, PROGRAM_PATH, startGitServer } from '../testing/git-server.ts'
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

function gitWith(options: Pick<Parameters<typeof createGit>[0], 'lookLimits' | 'runAs'> = {}) {
  const policy = createSourcePolicy({ privateHosts: [], ownPorts: () => [], connectTimeoutMs: 2_000 })
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
    expect(await gitWith().listFiles({ ...source, branch: null })).toEqual(NAMES)
    expect(await gitWith().listFiles({ ...source, branch: 'next' })).toEqual([{ path: 'only', isLink: false }])
    expect(await gitWith().listFiles({ url: `file://${repository.directory}`, privileged: true, branch: 'trunk' })).toEqual(NAMES)
  },
)

it('content is left out where the server can, and counts where it cannot', async () => {
  const repository = await server.createRepository({ files: { Dockerfile: 'FROM x', large: randomBytes(4 * MIB) } })
  const look = async () =>
    await gitWith({ lookLimits: { maxBytes: MIB, maxFiles: 1_000 } }).listFiles({ url: repository.url, privileged: true, branch: 'main' })
  await repository.git(['config', 'uploadpack.allowFilter', 'true'])
  expect((await look()).map((file) => file.path)).toEqual(['Dockerfile', 'large'])
  await repository.git(['config', 'uploadpack.allowFilter', 'false'])
  await expect(look()).rejects.toThrow(RepositoryTooLarge)
})

it('more names than allowed are too large', async () => {
  const { url } = await server.createRepository({ files: Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`f${n}`, 'x'])) })
  const git = gitWith({ lookLimits: { maxBytes: MIB, maxFiles: 150 } })
  await expect(git.listFiles({ url, privileged: true, branch: null })).rejects.toThrow('150 files')
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
  const files = await gitWith().listFiles({ url: repository.url, privileged: true, branch: 'main' })
  expect(files.map((file) => file.path)).toEqual(['.gitmodules', 'a'])
})

it('a branch that is missing or no name, and a repository without a commit, are said to be', async () => {
  const repository = await server.createRepository({ files: { a: 'x' } })
  const source = { url: repository.url, privileged: true }
  await expect(gitWith().listFiles({ ...source, branch: 'gone' })).rejects.toThrow('There is no commit on that branch.')
  for (const branch of ['--upload-pack=touch x', '$(id)', 'main:refs/heads/x'])
    await expect(gitWith().listFiles({ ...source, branch })).rejects.toThrow(SourceRefused)
  await repository.git(['update-ref', '-d', 'refs/heads/main'])
  await expect(gitWith().listFiles({ ...source, branch: null })).rejects.toThrow('There is no commit on that branch.')
})

it('an address that is not open to the one who asks is not visited', async () => {
  const { url } = await server.createRepository({ files: { a: 'x' } })
  server.requests.length = 0
  await expect(gitWith().listFiles({ url, privileged: false, branch: null })).rejects.toThrow(SourceRefused)
  expect(server.requests).toEqual([])
})

it('a server that stalls is left when the one who asks goes', async () => {
  const { url } = await server.createRepository({ files: { a: 'x' } })
  server.setMode({ kind: 'stall' })
  const stop = new AbortController()
  const before = server.requests.length
  const work = gitWith().listFiles({ url, privileged: true, branch: null, signal: stop.signal })
  work.catch(() => undefined)
  await expect.poll(() => server.requests.length, { timeout: 20_000 }).toBeGreaterThan(before)
  stop.abort(new Error('stopped by a person'))
  await expect(work).rejects.toThrow('stopped by a person')
})

it.runIf(process.getuid?.() === 0)('another user of the machine can look, where the tests are root', async () => {
  await rm(directory, { recursive: true })
  await mkdir(directory, { mode: 0o711 })
  const { url } = await server.createRepository({ files: FILES })
  expect(await gitWith({ runAs: { uid: 65534, gid: 65534 } }).listFiles({ url, privileged: true, branch: 'main' })).toEqual(NAMES)
})
