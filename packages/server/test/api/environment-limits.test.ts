import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createSecretBox } from '../../src/lib/secret-box.ts'
import { secretFile } from '../../src/lib/secret-file.ts'
import { type Person, startTestServer, type TestServer } from '../../testing/harness/start-test-server.ts'
import { writeRows } from '../../testing/harness/write-rows.ts'

const KIB = 1024
let berth: TestServer
let member: Person
let projectId: number
let n = 0

beforeAll(async () => {
  berth = await startTestServer()
  member = await berth.as('member')
  projectId = (await member.call('projects.create', { name: 'Limits' })).id
})
afterAll(async () => await berth[Symbol.asyncDispose]())

async function newApp(envVars: Record<string, string> = {}): Promise<number> {
  n += 1
  return (await member.call('apps.create', { projectId, name: `app ${n}`, envVars })).id
}
async function keysOf(appId: number): Promise<string[]> {
  return (await member.call('envs.list', { appId })).map(({ key }) => key)
}
function numbered(count: number): { key: string; value: string }[] {
  return Array.from({ length: count }, (_, index) => ({ key: `KEY_${index}`, value: '' }))
}
const large = 'x'.repeat(60 * KIB)
const tooLarge = { code: 'invalid_request', message: expect.stringMatching(/are 18\d KiB with their names, but the limit is 128 KiB/) }
const tooMany = {
  code: 'invalid_request',
  message: expect.stringContaining('would have 1001 environment variables, but the limit is 1000'),
}

/** Rows as an earlier version would have left them. */
async function insertVariables(appId: number, values: Record<string, string>): Promise<void> {
  const secrets = createSecretBox(secretFile(path.join(berth.dataDir, 'secrets.key'), { mayCreate: false }))
  const at = new Date().toISOString()
  await writeRows(berth, async (tx) => {
    for (const [key, value] of Object.entries(values)) {
      const row = { app_id: appId, key, sealed_value: secrets.seal(value, `env:${appId}`), created_at: at, updated_at: at }
      await tx.insertInto('env_variable').values(row).execute()
    }
  })
}

it('the variables of an app come to 128 KiB at most, however they are set', async () => {
  const appId = await newApp({ A: large, B: large })
  await expect(member.call('envs.create', { appId, key: 'C', value: large })).rejects.toMatchObject(tooLarge)
  const variables = ['D', 'E', 'F'].map((key) => ({ key, value: large }))
  await expect(member.call('envs.replace', { appId, variables })).rejects.toMatchObject(tooLarge)
  expect(await keysOf(appId)).toEqual(['A', 'B'])
  const small = await member.call('envs.create', { appId, key: 'C', value: 'x' })
  await expect(member.call('envs.update', { id: small.id, value: large })).rejects.toMatchObject(tooLarge)
  expect((await member.call('envs.list', { appId })).map(({ value }) => value)).toEqual([large, large, 'x'])
  await expect(newApp({ A: large, B: large, C: large })).rejects.toMatchObject(tooLarge)
  expect(await member.call('apps.list', { projectId })).toHaveLength(1)
})

it('bytes are counted, and those of the names too', async () => {
  const appId = await newApp({ A: 'é'.repeat(32 * KIB), B: 'é'.repeat(32 * KIB - 2) })
  await member.call('envs.create', { appId, key: 'C', value: 'x' })
  await expect(member.call('envs.create', { appId, key: 'D', value: '' })).rejects.toMatchObject({ code: 'invalid_request' })
})

it('an app has 1,000 variables at most', async () => {
  const appId = await newApp()
  await member.call('envs.replace', { appId, variables: numbered(1000) })
  await expect(member.call('envs.create', { appId, key: 'ONE_MORE', value: '' })).rejects.toMatchObject(tooMany)
  expect(await keysOf(appId)).toHaveLength(1000)
})

it('what takes more room in JSON is counted so, and ordinary text never meets that', async () => {
  const appId = await newApp({ A: '"line"\n'.repeat(9 * KIB), B: '"line"\n'.repeat(9 * KIB) })
  const control = '\u0001'.repeat(30 * KIB)
  await expect(member.call('envs.create', { appId: await newApp({ A: control }), key: 'B', value: control })).rejects.toMatchObject({
    code: 'invalid_request',
    message: expect.stringMatching(/are 36\d KiB as JSON, .*, but the limit is 256 KiB/),
  })
  const { text } = await berth.raw('POST', '/api/apps/envs/get', { cookie: member.cookie, body: { appId } })
  expect(text.length).toBeGreaterThan(150 * KIB)
})

it('variables from before there was a limit can be read, made smaller and deleted, and nothing can be added', async () => {
  const appId = await newApp()
  await insertVariables(appId, { A: large, B: large, C: large, D: large })
  const [first, second] = await member.call('envs.list', { appId })
  if (!first || !second) throw new Error('they are gone')
  await expect(member.call('envs.update', { id: first.id, value: `${large}x` })).rejects.toMatchObject({ code: 'invalid_request' })
  expect(await member.call('envs.update', { id: first.id, value: 'small' })).toMatchObject({ value: 'small' })
  expect(await member.call('envs.update', { id: first.id, key: 'Z' })).toMatchObject({ key: 'Z' })
  await expect(member.call('envs.create', { appId, key: 'NEW', value: '' })).rejects.toMatchObject({ code: 'invalid_request' })
  await member.call('envs.delete', { id: second.id })
  expect(await keysOf(appId)).toEqual(['Z', 'C', 'D'])
  await member.call('envs.create', { appId, key: 'NEW', value: '' })
})

it('the audit log has the names that changed, and of very many only the first', async () => {
  const owner = await berth.owner()
  const lastReplace = async () => (await owner.call('audit.list', { limit: 1, action: 'env.replace' }))[0]?.after
  const appId = await newApp()
  await member.call('envs.replace', { appId, variables: numbered(500) })
  expect(await lastReplace()).toEqual({
    keys: numbered(50).map(({ key }) => key),
    more: 450,
  })
  await member.call('envs.replace', { appId, variables: [...numbered(498), { key: 'KEY_498', value: 'new' }, { key: 'ADDED', value: '' }] })
  expect(await lastReplace()).toEqual({ keys: ['KEY_498', 'KEY_499', 'ADDED'] })
})

it('the build arguments of an app come to 16,384 characters at most, however they are set', async () => {
  const appId = await newApp()
  const buildArgs = Object.fromEntries(['A', 'B', 'C', 'D', 'E'].map((name) => [name, 'x'.repeat(4096)]))
  const message = expect.stringContaining('must be at most 16,384 characters')
  await expect(member.call('apps.update', { appId, buildArgs })).rejects.toMatchObject({ code: 'invalid_request', message })
  await expect(member.call('apps.create', { projectId, name: 'args', buildArgs })).rejects.toMatchObject({ message })
  await expect(member.call('apps.update', { appId, buildArgs: { buildkit_syntax: 'x' } })).rejects.toMatchObject({
    code: 'invalid_request',
  })
})

it('lists of apps leave out the settings that can be long', async () => {
  const project = await member.call('projects.create', { name: 'Lists' })
  const long = '字'.repeat(2000)
  const commands = { installCommand: long, buildCommand: long, startCommand: long, releaseCommand: long }
  const watchPaths = Array.from({ length: 50 }, () => '字'.repeat(200))
  const buildArgs = Object.fromEntries(['A', 'B', 'C'].map((name) => [name, '字'.repeat(4096)]))
  const input = { name: 'long', projectId: project.id, description: long, watchPaths, buildArgs, ...commands }
  const { id: appId } = await member.call('apps.create', input)
  const whole = await member.call('apps.get', { appId })
  expect(whole).toMatchObject({ watch_paths: watchPaths, build_args: buildArgs, install_command: long, release_command: long })
  const {
    volumes,
    processes,
    build_secrets,
    submodules,
    lfs,
    watch_paths,
    build_args,
    install_command,
    build_command,
    start_command,
    release_command,
    ...listed
  } = whole
  void [volumes, processes, build_secrets, submodules, lfs, watch_paths, build_args, install_command, build_command]
  void [start_command, release_command]
  expect(await member.call('apps.list', { projectId: project.id })).toEqual([listed])
  expect((await member.call('apps.listAll')).find(({ id }) => id === appId)).toEqual(listed)
  expect((await member.call('projects.get', { id: project.id })).applications).toEqual([listed])
  expect(Buffer.byteLength(JSON.stringify(listed))).toBeLessThan(8000)
})

it('descriptions and build arguments have no control characters, which take six bytes each in JSON', async () => {
  const project = await member.call('projects.create', { name: 'Control' })
  const app = { name: 'plain', projectId: project.id }
  for (const bad of [{ description: '\u0001' }, { buildArgs: { A: '\u0001' } }, { buildArgs: { A: '\u001b[31m' } }])
    await expect(member.call('apps.create', { ...app, ...bad })).rejects.toMatchObject({ code: 'invalid_request' })
  const kept = { description: 'Two lines,\r\n\tone indented', buildArgs: { A: 'a\tb' } }
  expect(await member.call('apps.create', { ...app, ...kept })).toMatchObject({ description: kept.description, build_args: kept.buildArgs })
})

it('build secrets are set, replaced and removed, and nobody reads them again: no answer, no audit line and no file has one', async () => {
  const owner = await berth.owner()
  const value = 'a-secret-only-for-the-build'
  const buildSecrets = { NPM_TOKEN: value, 'aws-key': `${value}-2` }
  const app = await member.call('apps.create', { projectId, name: 'built', buildSecrets, submodules: true })
  expect(app).toMatchObject({ build_secrets: ['NPM_TOKEN', 'aws-key'], submodules: true, lfs: false })
  const changed = await member.call('apps.update', {
    appId: app.id,
    buildSecrets: { NPM_TOKEN: `${value}-3`, 'aws-key': null },
    lfs: true,
  })
  expect(changed).toMatchObject({ build_secrets: ['NPM_TOKEN'], submodules: true, lfs: true })
  const [entry] = await owner.call('audit.list', { action: 'app.update', limit: 1 })
  expect(JSON.stringify(entry)).toContain('NPM_TOKEN set, aws-key removed')
  const answers = [app, changed, await owner.call('audit.list', { limit: 500 }), await owner.call('apps.listAll')]
  expect(JSON.stringify(answers)).not.toContain(value)
  const files = readdirSync(berth.dataDir, { recursive: true, withFileTypes: true }).filter((file) => file.isFile())
  const has = files.filter((file) => readFileSync(path.join(file.parentPath, file.name)).includes(value))
  expect(has.map(({ name }) => name)).toEqual([])

  for (const wrong of [{ '': 'x' }, { 'a b': 'x' }, { A: '' }, { A: 'x\u0000' }, { A: 'x'.repeat(65_537) }])
    await expect(member.call('apps.update', { appId: app.id, buildSecrets: wrong })).rejects.toMatchObject({ code: 'invalid_request' })
  const many = (from: number) => Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`S${from + at}`, 'x']))
  const long = { A: 'x'.repeat(40_000), B: 'y'.repeat(40_000) }
  await expect(member.call('apps.update', { appId: app.id, buildSecrets: long })).rejects.toThrow('64 KiB')
  await member.call('apps.update', { appId: app.id, buildSecrets: many(0) })
  await expect(member.call('apps.update', { appId: app.id, buildSecrets: many(60) })).rejects.toMatchObject({ code: 'invalid_request' })
  expect((await member.call('apps.get', { appId: app.id })).build_secrets).toHaveLength(61)
})
