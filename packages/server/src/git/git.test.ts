import { access, chown, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type GitServer, PROGRAM_PATH, startGitServer } from '../../testing/harness/git-server.ts'
import type { CloneUrl } from './clone-url.ts'
import {
  BranchMissing,
  CommitMissing,
  RepositoryNeedsCredentials,
  RepositoryTooLarge,
  RepositoryUnreachable,
  SourceError,
  SourceRefused,
} from './errors.ts'
import { createGit } from './git.ts'
import { resolveInside } from './resolve-inside.ts'
import { createSourcePolicy } from './source-policy.ts'

let server: GitServer
let directory = ''
beforeAll(async () => {
  server = await startGitServer()
})
afterAll(() => server[Symbol.asyncDispose]())
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'berth-git-'))
})
afterEach(async () => {
  server.setMode({ kind: 'normal' })
  await rm(directory, { recursive: true, force: true })
})

type Options = Omit<Partial<Parameters<typeof createGit>[0]>, 'policy'>
function gitWith(options: Options = {}) {
  const policy = createSourcePolicy({ privateHosts: [], ownPorts: async () => [], connectTimeoutMs: 2_000 })
  return createGit({
    policy,
    scratch: path.join(directory, 'scratch'),
    path: PROGRAM_PATH,
    retryAfterMs: [10, 20],
    ...options,
  })
}
const into = () => path.join(directory, 'workspace')

describe('a commit', () => {
  it('is resolved by the exact branch, or by the default one', async () => {
    const repository = await server.createRepository({ files: { a: '1' }, branch: 'trunk' })
    const other = await repository.commit({ files: { a: '2' }, branch: 'aaa/trunk' })
    const source = { url: repository.url, privileged: true }
    expect(await gitWith().resolveCommit({ ...source, branch: 'trunk' })).toEqual({ hash: repository.hash, branch: 'trunk' })
    expect(await gitWith().resolveCommit({ ...source, branch: null })).toEqual({ hash: repository.hash, branch: 'trunk' })
    expect(await gitWith().resolveCommit({ ...source, branch: 'aaa/trunk' })).toEqual({ hash: other, branch: 'aaa/trunk' })
    expect(await gitWith().listBranches(source)).toEqual({ branches: ['aaa/trunk', 'trunk'], defaultBranch: 'trunk' })
  })

  it('is checked out exactly, also after its branch has moved on', async () => {
    const repository = await server.createRepository({ files: { 'a.txt': 'old', 'run.sh': { text: '#', mode: 0o755 } } })
    await repository.commit({ files: { 'a.txt': 'new' }, message: 'Second' })
    const commit = await gitWith().checkout({ url: repository.url, privileged: true, hash: repository.hash, branch: 'main', into: into() })
    expect(commit).toEqual({ hash: repository.hash, message: 'First commit', author: 'Ada Tester', submodules: [] })
    expect(await readFile(path.join(into(), 'a.txt'), 'utf8')).toBe('old')
    expect((await stat(path.join(into(), 'run.sh'))).mode & 0o111).not.toBe(0)
    expect(await readdir(path.join(directory, 'scratch'))).toEqual([])
  })

  it('reports progress while it is checked out, and none while the server sends nothing', async () => {
    const repository = await server.createRepository({ files: { a: '1' } })
    let told = 0
    const wanted = { url: repository.url, privileged: true, hash: repository.hash, branch: 'main', into: into() }
    const onActivity = () => void (told += 1)
    await gitWith().checkout({ ...wanted, onActivity })
    expect(told).toBeGreaterThanOrEqual(5)
    server.setMode({ kind: 'stall' })
    told = 0
    const stalled = gitWith().checkout({ ...wanted, onActivity, signal: AbortSignal.timeout(2000) })
    await expect(stalled).rejects.toThrow('timeout')
    expect(told).toBeLessThanOrEqual(2) // the empty repository was made, and then seen
  })

  it('is found in the history if the server only serves branches', async () => {
    const repository = await server.createRepository({ files: { a: 'old' } })
    for (const text of ['1', '2', '3']) await repository.commit({ files: { a: text } })
    const source = { url: `file://${repository.directory}`, privileged: true }
    await repository.git(['config', 'uploadpack.allowAnySHA1InWant', 'false'])
    await gitWith().checkout({ ...source, hash: repository.hash, branch: 'main', into: into() })
    expect(await readFile(path.join(into(), 'a'), 'utf8')).toBe('old')
  })

  it('is read from this machine too, whoever owns the repository', async () => {
    const repository = await server.createRepository({ files: { a: '1' } })
    if (process.getuid?.() === 0) await chown(repository.directory, 65534, 65534)
    const source = { url: `file://${repository.directory}`, privileged: true }
    const { hash, branch } = await gitWith({ runAs: { uid: 65534, gid: 65534 } }).resolveCommit({ ...source, branch: null })
    await gitWith().checkout({ ...source, hash, branch, into: into() })
    expect(await readFile(path.join(into(), 'a'), 'utf8')).toBe('1')
  })

  it('that does not exist is reported as missing', async () => {
    const { url } = await server.createRepository({ files: { a: '1' } })
    const wanted = { url, privileged: true, hash: 'a'.repeat(40), branch: 'main', into: into() }
    await expect(gitWith().checkout(wanted)).rejects.toThrow(CommitMissing)
  })

  it('of a branch that is missing names the branches there are', async () => {
    const { url } = await server.createRepository({ files: { a: '1' } })
    const failure = gitWith().resolveCommit({ url, privileged: true, branch: 'nope' })
    await expect(failure).rejects.toThrow(BranchMissing)
    await expect(failure).rejects.toThrow('Its branches are: main.')
  })

  it('and branches with names or texts of any length are cut to what anybody would read', async () => {
    const repository = await server.createRepository({ files: { a: '1' } })
    const hash = await repository.commit({ files: { a: '2' }, message: 'x'.repeat(100_000), author: 'y'.repeat(1000) })
    const long = 'long/'.repeat(60)
    await repository.git(['update-ref', `refs/heads/${long}x`, hash])
    const source = { url: repository.url, privileged: true }
    expect((await gitWith().listBranches(source)).branches).toEqual(['main'])
    const commit = await gitWith().checkout({ ...source, hash, branch: 'main', into: into() })
    expect([commit.message.length, commit.author.length]).toEqual([10_000, 200])
  })

  it.runIf(process.getuid?.() === 0)('can be fetched as another user of the machine, where the tests are root', async () => {
    await rm(directory, { recursive: true })
    await mkdir(directory, { mode: 0o711 })
    const { url, hash } = await server.createRepository({ files: { a: '1' } })
    const git = gitWith({ runAs: { uid: 65534, gid: 65534 } })
    await git.checkout({ url, privileged: true, hash, branch: 'main', into: into() })
    expect((await stat(path.join(into(), 'a'))).uid).toBe(65534)
  })
})

describe('a source that is hostile', () => {
  it('is reached at the address that was vetted, whatever its name resolves to now', async () => {
    const repository = await server.createRepository({ files: { a: '1' } })
    const policy = { admit: async (url: CloneUrl) => ({ url, address: '127.0.0.1' }) }
    const git = createGit({ policy, scratch: path.join(directory, 'scratch'), path: PROGRAM_PATH })
    for (const host of ['rebinding.invalid', 'rebinding.invalid.', 'REBINDING.invalid.']) {
      const url = `http://${host}:${server.port}/${repository.name}.git`
      expect((await git.resolveCommit({ url, privileged: false, branch: 'main' })).hash).toBe(repository.hash)
    }
  })

  it('is refused before git sees it', async () => {
    const canary = path.join(directory, 'canary')
    for (const url of [
      `--upload-pack=touch ${canary}`,
      `ext::sh -c touch% ${canary}`,
      'ssh://-oProxyCommand=touch%20x/r',
      '/etc',
      'file:///etc',
    ]) {
      await expect(gitWith().resolveCommit({ url, privileged: false, branch: null })).rejects.toThrow(SourceRefused)
    }
    const { url, hash } = await server.createRepository({ files: { a: '1' } })
    for (const branch of [`--upload-pack=touch ${canary}`, `main; touch ${canary}`, '$(id)', 'a\nb']) {
      await expect(gitWith().resolveCommit({ url, privileged: true, branch })).rejects.toThrow(SourceRefused)
      await expect(gitWith().checkout({ url, privileged: true, hash, branch, into: into() })).rejects.toThrow(SourceRefused)
    }
    await expect(gitWith().checkout({ url, privileged: true, hash: '--help', branch: 'main', into: into() })).rejects.toThrow(SourceRefused)
    await expect(access(canary)).rejects.toThrow('ENOENT')
  })

  it('is not followed to another host, and no credential is sent there', async () => {
    await using other = await startGitServer()
    server.setMode({ kind: 'redirect', to: other.origin })
    const credential = { host: '127.0.0.1', port: server.port, username: 'x', password: 'secret-token', whenRefused: 'It was refused.' }
    const failure = gitWith().resolveCommit({ url: `${server.origin}/r.git`, privileged: true, branch: null, credential })
    await expect(failure).rejects.toThrow('redirects to another address')
    expect(other.requests).toEqual([])
    expect(server.requests.at(-1)?.authorization).toBeUndefined() // not over plain http either
  })

  it('runs none of its hooks, filters and submodules', async () => {
    const canary = path.join(directory, 'canary')
    const hook = { text: `#!/bin/sh\ntouch ${canary}\n`, mode: 0o755 }
    const { url, hash } = await server.createRepository({
      files: {
        'hooks/post-checkout': hook,
        '.githooks/post-checkout': hook,
        '.gitattributes': '* filter=evil\n',
        '.gitconfig': `[core]\n\thooksPath = hooks\n[filter "evil"]\n\tsmudge = touch ${canary}\n`,
        '.gitmodules': `[submodule "x"]\n\tpath = x\n\turl = ext::sh -c touch% ${canary}\n`,
      },
    })
    await gitWith().checkout({ url, privileged: true, hash, branch: 'main', into: into() })
    await expect(access(canary)).rejects.toThrow('ENOENT')
  })

  it('cannot lead out of its workspace by links', async () => {
    const { url, hash } = await server.createRepository({
      files: { out: { link: '/etc' }, file: { link: '/etc/passwd' }, 'a/Dockerfile': 'FROM x', in: { link: 'a' }, loop: { link: 'loop' } },
    })
    await gitWith().checkout({ url, privileged: true, hash, branch: 'main', into: into() })
    expect((await resolveInside(into(), 'in/Dockerfile'))?.kind).toBe('file')
    expect((await resolveInside(into(), '.'))?.kind).toBe('directory')
    expect(await resolveInside(into(), 'missing/x')).toBeNull()
    for (const name of ['out', 'file', 'out/passwd', 'loop', '../x', '.git/config'])
      await expect(resolveInside(into(), name)).rejects.toThrow(SourceRefused)
    await writeFile(path.join(directory, 'workspace-2'), 'a neighbour with the same beginning')
    await symlink(path.join(directory, 'workspace-2'), path.join(into(), 'neighbour'))
    await expect(resolveInside(into(), 'neighbour')).rejects.toThrow('points outside the repository')
  })

  it('is too large when it would unpack to more than it may, and nothing is unpacked', async () => {
    const { url, hash } = await server.createRepository({ files: { bomb: Buffer.alloc(20 * 1024 * 1024), b: '' } })
    const bytes = gitWith({ limits: { maxBytes: 10 * 1024 * 1024, maxFiles: 1_000 } })
    await expect(bytes.checkout({ url, privileged: true, hash, branch: 'main', into: into() })).rejects.toThrow(RepositoryTooLarge)
    expect(await readdir(into())).toEqual(['.git'])
    const many = await server.createRepository({ files: Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`f${n}`, `${n}`])) })
    const files = gitWith({ limits: { maxBytes: 10 * 1024 * 1024, maxFiles: 50 } })
    await expect(files.checkout({ url: many.url, privileged: true, hash: many.hash, branch: 'main', into: into() })).rejects.toThrow(
      '50 files',
    )
  })

  it('is too large when its own attributes make its files larger than they may be', async () => {
    const { url, hash } = await server.createRepository({ files: { '.gitattributes': '* text eol=crlf', lines: '\n'.repeat(100_000) } })
    const checkout = { url, privileged: true, hash, branch: 'main', into: into() }
    await expect(gitWith({ limits: { maxBytes: 150_000, maxFiles: 50 } }).checkout(checkout)).rejects.toThrow(RepositoryTooLarge)
    await gitWith({ limits: { maxBytes: 210_000, maxFiles: 50 } }).checkout(checkout)
    expect((await stat(path.join(into(), 'lines'))).size).toBe(200_000)
  })

  it('ends while it is written when its attributes make it too large, not afterwards', async () => {
    const grown = '$Id$\n'.repeat(200_000) // 1 MB that becomes 10
    const files = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`f${n}`, grown]))
    const attributes = 'f* ident text eol=crlf'
    const { url, hash } = await server.createRepository({ files: { '.gitattributes': attributes, ...files } })
    const checkout = { url, privileged: true, hash, branch: 'main', into: into() }
    await expect(gitWith({ limits: { maxBytes: 100_000_000, maxFiles: 100 } }).checkout(checkout)).rejects.toThrow(RepositoryTooLarge)
    const written = await Promise.all(Object.keys(files).map(async (name) => await stat(path.join(into(), name)).catch(() => null)))
    expect(written.filter((file) => file === null).length).toBeGreaterThan(0)
  })
})

describe('a source in trouble', () => {
  it('that asks for credentials is said to', async () => {
    const { url } = await server.createRepository({ files: { a: '1' } })
    server.setMode({ kind: 'unauthorized' })
    await expect(gitWith().resolveCommit({ url, privileged: true, branch: null })).rejects.toThrow(RepositoryNeedsCredentials)
  })

  it('that does not exist is said not to', async () => {
    await expect(gitWith().resolveCommit({ url: `${server.origin}/no-such.git`, privileged: true, branch: null })).rejects.toThrow(
      'No repository was found',
    )
  })

  it('that fails twice is asked a third time, and no fourth', async () => {
    const { url, hash } = await server.createRepository({ files: { a: '1' } })
    server.setMode({ kind: 'error', status: 503, times: 2 })
    expect((await gitWith().resolveCommit({ url, privileged: true, branch: null })).hash).toBe(hash)
    server.setMode({ kind: 'error', status: 503, times: 100 })
    const before = server.requests.length
    await expect(gitWith().resolveCommit({ url, privileged: true, branch: null })).rejects.toThrow(RepositoryUnreachable)
    expect(server.requests.length - before).toBe(3)
  })

  it('that stalls is abandoned on abort', async () => {
    const { url, hash } = await server.createRepository({ files: { a: '1' } })
    server.setMode({ kind: 'stall' })
    const stop = new AbortController()
    const before = server.requests.length
    const work = gitWith().checkout({ url, privileged: true, hash, branch: 'main', into: into(), signal: stop.signal })
    work.catch(() => undefined)
    await expect.poll(() => server.requests.length, { timeout: 20_000 }).toBeGreaterThan(before)
    stop.abort(new Error('stopped by a person'))
    await expect(work).rejects.toThrow('stopped by a person')
  })

  it('that stalls is left at the deadline', async () => {
    const { url, hash } = await server.createRepository({ files: { a: '1' } })
    server.setMode({ kind: 'stall' })
    const work = gitWith({ fetchTimeoutMs: 500 }).checkout({ url, privileged: true, hash, branch: 'main', into: into() })
    await expect(work).rejects.toThrow('took too long')
  })

  it('never shows a secret or a path of the machine in what it says', async () => {
    server.setMode({ kind: 'unauthorized' })
    const credential = { host: '127.0.0.1', port: server.port, username: 'x', password: 'secret-token', whenRefused: 'It was refused.' }
    const said = await gitWith()
      .resolveCommit({ url: `${server.origin}/r.git`, privileged: true, branch: null, credential })
      .catch((cause: unknown) => cause)
    expect(said).toBeInstanceOf(SourceError)
    expect(String(said)).not.toContain('secret-token')
    expect(String(said)).not.toContain(directory)
  })
})
