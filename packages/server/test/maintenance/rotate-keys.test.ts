import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { ownCertificate } from '../../testing/harness/own-certificate.ts'
import { startTestServer, type TestServer } from '../../testing/harness/start-test-server.ts'
import { runServerToItsEnd } from '../../testing/harness/test-process.ts'

vi.setConfig({ testTimeout: 180_000 }) // it starts the server many times

let dir: string
let berth: TestServer
let appId: number

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'berth-keys-'))
  await mkdir(join(dir, 'first'), { mode: 0o700 })
  berth = await startTestServer({ dataDir: join(dir, 'first') })
  const owner = await berth.owner()
  const project = await owner.call('projects.create', { name: 'Shop' })
  const app = await owner.call('apps.create', {
    name: 'Website',
    projectId: project.id,
    gitCloneUrl: 'https://git.example.test/shop.git',
    envVars: { KEY: 'a-secret-value' },
  })
  appId = app.id
  await owner.call('apps.createDeployKey', { appId })
  const domain = await owner.call('domains.create', { appId, domain: 'own.example.test' })
  const { chain: certificate, key: privateKey } = ownCertificate('own.example.test', 90)
  await owner.call('domains.setCertificate', { id: domain.id, certificate, privateKey })
  await berth.stop()
})
afterAll(async () => {
  await berth[Symbol.asyncDispose]()
  await rm(dir, { recursive: true, force: true })
})

/** Rotates the keys of a copy, in a process that may be killed at a step. */
async function rotated(name: string, fault?: { kind: 'crash-before' | 'crash-after'; at: number }): Promise<string> {
  const dataDir = join(dir, name)
  await cp(join(dir, 'first'), dataDir, { recursive: true })
  const env = { ...berth.env, BERTH_DATA_DIR: dataDir, ...(fault && { BERTH_TEST_FAULT: JSON.stringify({ ...fault, ms: 0 }) }) }
  const { exitCode, errors } = await runServerToItsEnd(env, ['rotate-keys'])
  expect(errors).toBe('')
  expect(exitCode).toBe(fault ? null : 0)
  return dataDir
}

async function valuesIn(dataDir: string): Promise<string[]> {
  await using server = await startTestServer({ dataDir })
  const owner = await server.owner()
  return (await owner.call('envs.list', { appId })).map(({ key, value }) => `${key}=${value}`)
}

it('new keys open everything, the old ones are gone, and nobody is logged in', async () => {
  const cookie = await startTestServer({ dataDir: join(dir, 'first') }).then(async (server) => {
    const person = await server.owner()
    await server[Symbol.asyncDispose]()
    return person.cookie
  })
  const dataDir = await rotated('whole')
  for (const name of ['secrets.key', 'session.key'])
    expect((await readFile(join(dataDir, name))).equals(await readFile(join(dir, 'first', name)))).toBe(false)
  expect(existsSync(join(dataDir, 'secrets.key.next'))).toBe(false)
  const [folder, file] = [join(dataDir, 'edge', 'certs'), 'own.example.test.uploaded.pem']
  await rm(folder, { recursive: true })
  await using server = await startTestServer({ dataDir })
  expect((await server.raw('GET', '/api/auth/me', { cookie })).status).toBe(401)
  const owner = await server.owner()
  expect((await owner.call('envs.list', { appId })).map(({ value }) => value)).toEqual(['a-secret-value'])
  const kept = await readFile(join(dir, 'first', 'edge', 'certs', file), 'utf8')
  await expect.poll(async () => await readFile(join(folder, file), 'utf8').catch(() => ''), { timeout: 20_000 }).toBe(kept)
})

it('killed before or after any step, the next start finds the key that fits', async () => {
  for (const at of [1, 2, 3, 4])
    for (const kind of ['crash-before', 'crash-after'] as const) {
      const dataDir = await rotated(`${kind}-${at}`, { kind, at })
      expect(await valuesIn(dataDir), `${kind} ${at}`).toEqual(['KEY=a-secret-value'])
      expect(existsSync(join(dataDir, 'secrets.key.next'))).toBe(false)
    }
})
