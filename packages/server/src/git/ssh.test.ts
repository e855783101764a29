import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type GitServer, PROGRAM_PATH, startGitServer } from '../../testing/harness/git-server.ts'
import { type SshServer, startSshServer } from '../../testing/harness/ssh-server.ts'
import { createGit } from './git.ts'
import { createSourcePolicy } from './source-policy.ts'
import { newKeyPair } from './ssh-keys.ts'

let sshd: SshServer
let server: GitServer
let repo: Awaited<ReturnType<GitServer['createRepository']>>
let scratch: string
let pinned = ''
const key = newKeyPair('berth-app-1')
const runAs = process.getuid?.() === 0 ? { runAs: { uid: 65534, gid: 65534 } } : {}

beforeAll(async () => {
  server = await startGitServer()
  repo = await server.createRepository({ files: { 'hello.txt': 'hello' } })
  sshd = await startSshServer()
  scratch = await mkdtemp('/tmp/berth git %h-') // a path that would be something else in a shell, and to ssh
  await chmod(scratch, 0o711)
})
afterAll(async () => {
  await sshd[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
  await rm(scratch, { recursive: true, force: true })
})
beforeEach(async () => {
  pinned = ''
  await sshd.authorize([key.publicKey])
})

const git = () => {
  const policy = createSourcePolicy({ privateHosts: [], ownPorts: async () => [] })
  return createGit({ policy, scratch: path.join(scratch, 'git'), path: PROGRAM_PATH, retryAfterMs: [], ...runAs })
}
const access = (privateKey = key.privateKey) => ({
  privateKey,
  hostKey: async () => pinned,
  pin: async (hostKey: string, before: string) => {
    if (pinned !== before) return pinned === hostKey
    pinned = hostKey
    return true
  },
})
const source = (more: { privateKey?: string; privileged?: boolean; url?: string } = {}) => ({
  url: more.url ?? sshd.urlOf(repo.directory),
  privileged: more.privileged ?? true,
  ssh: access(more.privateKey),
})

describe('a source over ssh', () => {
  it('is cloned with the key, and its host key is pinned by the first visit that went well', async () => {
    const { hash } = await git().resolveCommit({ ...source(), branch: 'main' })
    expect(hash).toBe(repo.hash)
    expect(pinned).toMatch(new RegExp(`^127\\.0\\.0\\.1:${sshd.port} ssh-ed25519 \\S{68}$`))
    const before = pinned
    const into = path.join(scratch, 'work')
    await git().checkout({ ...source(), hash, branch: 'main', into })
    expect(await readFile(path.join(into, 'hello.txt'), 'utf8')).toBe('hello')
    expect(await readFile(path.join(into, '.git/config'), 'utf8')).not.toMatch(/ssh|url/i)
    expect(pinned).toBe(before)
    expect(await readdir(path.join(scratch, 'git'))).toEqual([]) // the key is gone with the visit
  })

  it('whose host has another key than before gets nothing, until the old one is forgotten', async () => {
    await git().resolveCommit({ ...source(), branch: 'main' })
    await sshd.changeHostKey()
    const refused = git().resolveCommit({ ...source(), branch: 'main' })
    await expect(refused).rejects.toMatchObject({ name: 'HostKeyChanged', message: expect.stringContaining('forget the pinned one') })
    const old = pinned
    pinned = ''
    expect((await git().resolveCommit({ ...source(), branch: 'main' })).hash).toBe(repo.hash)
    expect(pinned).not.toBe(old)
    pinned = `other.example.com:22 ${old.split(' ').slice(1).join(' ')}` // of the host that the app had before
    expect((await git().resolveCommit({ ...source(), branch: 'main' })).hash).toBe(repo.hash)
  })

  it('that another visit found with another key meanwhile gets no second pin', async () => {
    const first = source()
    const hostKey = async () => {
      queueMicrotask(() => (pinned = 'of another visit'))
      return ''
    }
    const late = git().resolveCommit({ ...first, ssh: { ...first.ssh, hostKey }, branch: 'main' })
    await expect(late).rejects.toMatchObject({ name: 'HostKeyChanged' })
    expect(pinned).toBe('of another visit')
  })

  it('without a key, or with one that the host does not know, says what to do, and pins nothing', async () => {
    const { ssh: _none, ...without } = source()
    await expect(git().resolveCommit({ ...without, branch: 'main' })).rejects.toMatchObject({ name: 'DeployKeyMissing' })
    const stranger = git().resolveCommit({ ...source({ privateKey: newKeyPair('x').privateKey }), branch: 'main' })
    await expect(stranger).rejects.toMatchObject({ name: 'DeployKeyRefused' })
    expect(pinned).toBe('')
  })

  it('on a private address is not for everybody', async () => {
    const before = sshd.log().length
    await expect(git().resolveCommit({ ...source({ privileged: false }), branch: 'main' })).rejects.toMatchObject({ name: 'SourceRefused' })
    expect(sshd.log().length).toBe(before)
  })

  it('that is not there says so', async () => {
    const missing = git().resolveCommit({ ...source({ url: sshd.urlOf('/nowhere.git') }), branch: 'main' })
    await expect(missing).rejects.toMatchObject({ message: expect.stringContaining('No repository was found') })
  })
})
