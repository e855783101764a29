import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { archiveOf } from '../../src/engine/build/tar.ts'
import { runCommand } from '../../src/maintenance/commands.ts'
import { bundledMain } from '../../testing/harness/server-bundle.ts'
import { OWNER, startTestServer, type TestServer } from '../../testing/harness/start-test-server.ts'

let berth: TestServer
let dir: string
let said: string[]

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'berth-backup-'))
  berth = await startTestServer()
  const owner = await berth.owner()
  const project = await owner.call('projects.create', { name: 'Shop' })
  await owner.call('apps.create', {
    name: 'Website',
    projectId: project.id,
    gitCloneUrl: 'https://git.example.test/shop.git',
    envVars: { KEY: 'a-secret-value' },
  })
  await mkdir(join(berth.dataDir, 'logs'), { recursive: true })
  await writeFile(join(berth.dataDir, 'logs', 'd1.log'), 'built\n')
  const long = join(berth.dataDir, 'compose', 'app-1', 'd1', 'files', `${'long-'.repeat(30)}name`)
  await mkdir(join(long, '..'), { recursive: true })
  await writeFile(long, 'kept')
})
afterAll(async () => {
  await berth[Symbol.asyncDispose]()
  await rm(dir, { recursive: true, force: true })
})
afterEach(() => vi.unstubAllEnvs())

async function command(args: string[], env: Record<string, string> = {}): Promise<number> {
  said = []
  for (const [name, value] of Object.entries({
    DOCKER_HOST: berth.env['DOCKER_HOST'] ?? '',
    BERTH_DATA_DIR: berth.dataDir,
    BERTH_BACKUP_PASSPHRASE: '',
    ...env,
  }))
    vi.stubEnv(name, value)
  const say = (text: string) => void said.push(text)
  return await runCommand(args, { print: say, complain: say, askSecret: async () => 'a-new-password' })
}

it('is written while the server runs and writes, and restored: same data, nobody logged in, and secrets open', async () => {
  const owner = await berth.owner()
  expect((await owner.call('backups.list')).restoreCommand).toBe('npm start -- restore')
  const file = join(dir, 'one.tar.gz')
  let isOver = false
  const writing = (async () => {
    for (let n = 0; !isOver; n += 1) await owner.call('projects.create', { name: `During ${n}` })
  })()
  expect(await command(['backup', file, '--logs'])).toBe(0)
  isOver = true
  await writing
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect((await readdir(dir)).filter((name) => name !== 'one.tar.gz')).toEqual([])

  expect(await command(['verify', file])).toBe(0)
  expect(said[0]).toMatch(/^This backup is complete: made by Berth .* with 1 app and 1 user\.$/)

  const restored = join(dir, 'restored')
  expect(await command(['restore', file], { BERTH_DATA_DIR: restored })).toBe(0)
  expect(await readFile(join(restored, 'logs', 'd1.log'), 'utf8')).toBe('built\n')
  expect(await readFile(join(restored, 'compose', 'app-1', 'd1', 'files', `${'long-'.repeat(30)}name`), 'utf8')).toBe('kept')
  for (const name of ['secrets.key', 'session.key', 'berth.sqlite']) expect((await stat(join(restored, name))).mode & 0o777).toBe(0o600)

  await using second = await startTestServer({ dataDir: restored })
  const old = await second.raw('GET', '/api/projects', { headers: { cookie: owner.cookie } })
  expect(old.status).toBe(401)
  const again = await second.owner()
  const projects = await again.call('projects.list')
  expect(projects.map(({ name }) => name)).toContain('Shop')
  const [app] = await again.call('apps.list', { projectId: projects.find(({ name }) => name === 'Shop')?.id ?? 0 })
  expect((await again.call('envs.list', { appId: app?.id ?? 0 })).map(({ key, value }) => `${key}=${value}`)).toEqual([
    'KEY=a-secret-value',
  ])
})

it('gives no id a second time, however often it is restored', async () => {
  const file = join(dir, 'ids.tar.gz')
  await command(['backup', file])
  const given = [await newIds(berth)]
  for (const name of ['first', 'second']) {
    const dataDir = join(dir, `ids-${name}`)
    expect(await command(['restore', file], { BERTH_DATA_DIR: dataDir })).toBe(0)
    await using restored = await startTestServer({ dataDir })
    given.push(await newIds(restored))
  }
  for (const kind of ['project', 'app', 'deployment'] as const) {
    const ids = given.map((each) => each[kind])
    expect([kind, new Set(ids).size]).toEqual([kind, 3])
    expect([kind, ids]).toEqual([kind, ids.toSorted((a, b) => a - b)])
  }
})

/** What is kept in the engine and on the disk is named after these. */
async function newIds(server: TestServer) {
  const { call } = await server.owner()
  const project = await call('projects.create', { name: 'Later' })
  const app = await call('apps.create', { name: 'Later', projectId: project.id, gitCloneUrl: 'https://git.example.test/later.git' })
  const deployment = await call('deployments.add', { appId: app.id })
  return { project: project.id, app: app.id, deployment: deployment.id }
}

it('can be encrypted with a passphrase, and then opens with that one alone', async () => {
  const file = join(dir, 'two.tar.gz.age')
  expect(await command(['backup', file], { BERTH_BACKUP_PASSPHRASE: 'correct horse' })).toBe(0)
  expect((await readFile(file)).subarray(0, 21).toString()).toBe('age-encryption.org/v1')
  expect(await command(['verify', file])).toBe(1)
  expect(said).toEqual(['This backup cannot be used: it is encrypted: set BERTH_BACKUP_PASSPHRASE to its passphrase.'])
  expect(await command(['verify', file], { BERTH_BACKUP_PASSPHRASE: 'wrong' })).toBe(1)
  expect(said).toEqual(['This backup cannot be used: the passphrase is wrong, or the beginning of the file was changed.'])
  expect(await command(['verify', file], { BERTH_BACKUP_PASSPHRASE: 'correct horse' })).toBe(0)
}, 120_000)

it('is refused with one byte changed, wherever it is, when cut off, and when something else is in it; nothing is left behind', async () => {
  const file = join(dir, 'three.tar.gz')
  await command(['backup', file])
  const whole = await readFile(file)
  const plain = gunzipSync(whole)
  const changed = (at: number) => {
    const copy = Buffer.from(plain)
    copy[at] = (copy[at] ?? 0) ^ 1
    return gzipSync(copy, { level: 1 })
  }
  const broken = [
    ...Array.from({ length: 8 }, (_, n) => {
      const copy = Buffer.from(whole)
      const at = 20 + Math.floor((copy.length - 40) * (n / 8))
      copy[at] = (copy[at] ?? 0) ^ 1
      return copy
    }),
    ...[600, 5000, Math.floor(plain.length / 2)].map(changed),
    whole.subarray(0, Math.floor(whole.length / 2)),
    whole.subarray(0, -4),
    gzipSync(archiveOf([{ path: '../outside', mode: 0o600, contents: Buffer.from('x') }])),
    gzipSync(archiveOf([{ path: 'edge/certs/../../../outside', mode: 0o600, contents: Buffer.from('x') }])),
    gzipSync(archiveOf([{ path: 'manifest.json', mode: 0o600, contents: Buffer.from('{}') }])),
    Buffer.from('not a backup at all'),
    Buffer.alloc(0),
  ]
  const target = join(dir, 'never')
  for (const [index, bytes] of broken.entries()) {
    const path = join(dir, 'broken')
    await writeFile(path, bytes)
    for (const name of ['verify', 'restore']) {
      expect(await command([name, path], { BERTH_DATA_DIR: target }), `${name} file ${index}`).toBe(1)
      expect(said.join(), `${name} file ${index}`).toMatch(/^This backup cannot be used: /)
    }
    expect(
      (await readdir(dir)).filter((name) => name.startsWith('never') || name === 'outside'),
      `file ${index}`,
    ).toEqual([])
  }
})

it('is restored into an empty directory alone', async () => {
  const file = join(dir, 'four.tar.gz')
  await command(['backup', file])
  expect(await command(['restore', file])).toBe(1)
  expect(said[0]).toMatch(/^The data directory .* is not empty; move it away/)
  const empty = join(dir, 'empty')
  await mkdir(empty)
  expect(await command(['restore', file], { BERTH_DATA_DIR: empty })).toBe(0)
  expect(await command(['restore', join(dir, 'nowhere')], { BERTH_DATA_DIR: join(dir, 'x') })).toBe(1)
  expect(said[0]).toMatch(/ENOENT/)
})

it('people get back in: roles are listed, a password is reset and an owner made, while the server is stopped', async () => {
  const file = join(dir, 'five.tar.gz')
  const copy = join(dir, 'copy')
  await berth.as('member')
  await command(['backup', file])
  await command(['restore', file], { BERTH_DATA_DIR: copy })
  expect(await command(['users'])).toBe(1)
  expect(said[0]).toMatch(/^Another Berth is using the data directory/)
  expect(await command(['users'], { BERTH_DATA_DIR: copy })).toBe(0)
  expect(said.map((line) => line.split('  ')[0])).toEqual([
    `owner  ${OWNER.email}`.split('  ')[0],
    'user   member@example.test'.split('  ')[0],
  ])
  expect(await command(['reset-password', 'nobody@example.test'], { BERTH_DATA_DIR: copy })).toBe(2)
  expect(await command(['reset-password', 'member@example.test'], { BERTH_DATA_DIR: copy })).toBe(0)
  expect(await command(['make-owner', 'member@example.test'], { BERTH_DATA_DIR: copy })).toBe(0)
  await using second = await startTestServer({ dataDir: copy, owner: 'none' })
  const login = await second.raw('POST', '/api/auth/login', { body: { email: 'member@example.test', password: 'a-new-password' } })
  expect(login.json.data).toMatchObject({ user: { role: 'owner' } })
})

it('the doctor names what is wrong and what to do', async () => {
  expect(await command(['doctor'])).toBe(1)
  expect(said.join('\n')).toMatch(/^ok {7}Database: whole/m)
  expect(said.join('\n')).toMatch(/^PROBLEM {2}Docker: the engine does not answer\n {9}→ Start Docker/m)
  await chmod(join(berth.dataDir, 'secrets.key'), 0o644)
  await command(['doctor'])
  expect(said.join('\n')).toMatch(/^warning {2}Data directory: \S+secrets\.key can be read by other users/m)
  await chmod(join(berth.dataDir, 'secrets.key'), 0o600)
})

it('what is typed wrong is answered with how it is typed', async () => {
  expect(await command(['help'])).toBe(0)
  expect(said[0]).toContain('berth-server backup [file] [--logs] [--passphrase-file <passphrase-file>]')
  expect(await command(['verify'])).toBe(2)
  expect(said[0]).toMatch(/^berth-server verify <file>/)
  expect(await command(['backup', '--nonsense'])).toBe(1)
  expect(await command(['nonsense'])).toBe(2)
})

it('is a command of the server itself', async () => {
  const main = await bundledMain()
  const { stdout } = await promisify(execFile)(process.execPath, [main, 'help'], { env: { PATH: process.env['PATH'] ?? '' } })
  expect(stdout).toContain('berth-server doctor')
})
