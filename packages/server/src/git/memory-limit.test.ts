import { mkdir, mkdtemp, realpath, rm, stat, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type GitServer, PROGRAM_PATH, startGitServer } from '../../testing/harness/git-server.ts'
import { createGit } from './git.ts'
import { createSourcePolicy } from './source-policy.ts'

let server: GitServer
let directory = ''
beforeAll(async () => {
  server = await startGitServer()
})
afterAll(() => server[Symbol.asyncDispose]())
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'berth-git-memory-'))
})
afterEach(async () => {
  server.setMode({ kind: 'normal' })
  await rm(directory, { recursive: true, force: true })
})

function gitWith(options: Pick<Parameters<typeof createGit>[0], 'memoryMib' | 'log'> & { path?: string }) {
  const policy = createSourcePolicy({ privateHosts: [], ownPorts: async () => [], connectTimeoutMs: 2_000 })
  return createGit({ policy, scratch: path.join(directory, 'scratch'), path: PROGRAM_PATH, retryAfterMs: [], ...options })
}

describe('the memory of git', () => {
  const MIB = 1024 ** 2
  const memoryMib = { ask: 64, work: 64 }

  it('is limited, however many branches a server names', async () => {
    server.setMode({ kind: 'endless', maxBytes: 300 * MIB })
    const asked = gitWith({ memoryMib }).listBranches({ url: `${server.origin}/r.git`, privileged: true })
    await expect(asked).rejects.toThrow('needs more memory')
    expect(server.advertisedBytes()).toBeLessThan(150 * MIB)
  })

  it('is enough for files that are larger than it', async () => {
    const into = path.join(directory, 'workspace')
    const { url, hash } = await server.createRepository({ files: { large: Buffer.alloc(100 * MIB), small: 'x' } })
    await gitWith({ memoryMib }).checkout({ url, privileged: true, hash, branch: 'main', into })
    expect((await stat(path.join(into, 'large'))).size).toBe(100 * MIB)
  })

  it('has no limit where the machine has no prlimit, which is said once', async () => {
    const programs = path.join(directory, 'bin')
    await mkdir(programs)
    const found = await Promise.all(PROGRAM_PATH.split(':').map(async (at) => await realpath(path.join(at, 'git')).catch(() => null)))
    await symlink(found.find((file) => file !== null) ?? '', path.join(programs, 'git'))
    const said: unknown[] = []
    const log = { warn: (...words: unknown[]) => void said.push(words.at(-1)) }
    const { url, hash } = await server.createRepository({ files: { a: '1' } })
    const git = gitWith({ path: programs, log })
    for (const branch of ['main', null]) expect((await git.resolveCommit({ url, privileged: true, branch })).hash).toBe(hash)
    expect(said).toEqual([expect.stringContaining('without a memory limit')])
  })
})
