import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ReleaseConfig, sealConfig } from '../../src/domain/release-config.ts'
import { createSecretBox } from '../../src/lib/secret-box.ts'
import { secretFile } from '../../src/lib/secret-file.ts'
import { type Person, startTestServer, type TestServer } from '../../testing/harness/start-test-server.ts'
import { insertDeployment } from '../../testing/harness/test-world.ts'
import { writeToDatabase } from '../../testing/harness/write-to-database.ts'

let berth: TestServer
let owner: Person
beforeAll(async () => {
  berth = await startTestServer()
  owner = await berth.owner()
})
afterAll(async () => await berth[Symbol.asyncDispose]())

const RELEASE: Omit<ReleaseConfig, 'env'> = {
  type: 'web',
  slug: 'app',
  template: '',
  port: 3000,
  healthcheckPath: '',
  strategy: 'rolling',
  restart: 'unless-stopped',
  cpus: null,
  memoryMb: null,
}

/** A deployment needs an engine to succeed; what it leaves in the database does not. */
async function insertRelease(appId: number, env: Record<string, string>): Promise<number> {
  const id = await insertDeployment(berth, { appId, number: 1, status: 'success', isActive: true, image: '' })
  const secrets = createSecretBox(secretFile(path.join(berth.dataDir, 'secrets.key'), { mayCreate: false }))
  const sealed = sealConfig(secrets, appId, { ...RELEASE, env })
  await writeToDatabase(berth.dataDir, (file) => file.prepare('update deployment set sealed_config = ? where id = ?').run(sealed, id))
  return id
}

async function newApp(envVars: Record<string, string>): Promise<number> {
  const { id: projectId } = await owner.call('projects.create', { name: 'Environment' })
  return (await owner.call('apps.create', { projectId, name: 'app', envVars })).id
}

it('what was added, changed and removed since the live release is listed by name, without values', async () => {
  const appId = await newApp({ KEPT: 'planted-kept', OTHER: 'planted-now', FRESH: 'planted-fresh' })
  const deploymentId = await insertRelease(appId, { KEPT: 'planted-kept', OTHER: 'planted-then', GONE: 'planted-gone', PORT: '3000' })
  const answer = await owner.call('envs.changes', { appId })
  expect(answer).toEqual({
    deploymentId,
    changes: [
      { key: 'OTHER', is: 'changed' },
      { key: 'FRESH', is: 'added' },
      { key: 'GONE', is: 'removed' },
    ],
    problems: [],
  })
  expect(JSON.stringify(answer)).not.toContain('planted')
  await owner.call('envs.replace', {
    appId,
    variables: [
      { key: 'KEPT', value: 'planted-kept' },
      { key: 'OTHER', value: 'planted-then' },
      { key: 'GONE', value: 'planted-gone' },
    ],
  })
  expect(await owner.call('envs.changes', { appId })).toEqual({ deploymentId, changes: [], problems: [] })
})

it('without a live release, or with one of which nothing was recorded, nothing is a change', async () => {
  const appId = await newApp({ A: 'a' })
  expect(await owner.call('envs.changes', { appId })).toEqual({ deploymentId: null, changes: [], problems: [] })
  await insertDeployment(berth, { appId, number: 1, status: 'success', isActive: true, image: '' })
  expect(await owner.call('envs.changes', { appId })).toEqual({ deploymentId: null, changes: [], problems: [] })
})

it('a reference is compared by its value, and the value is not shown', async () => {
  const { id: projectId } = await owner.call('projects.create', { name: 'Referring' })
  const database = await owner.call('apps.create', { projectId, name: 'store', appType: 'database', templateName: 'redis' })
  const envVars = { REDIS_URL: '${{store.URL}}', TOKEN: '${{project.TOKEN}}' }
  const { id: appId } = await owner.call('apps.create', { projectId, name: 'app', envVars })
  await owner.call('projectEnvs.replace', { projectId, variables: [{ key: 'TOKEN', value: 'planted-token' }] })
  const { url } = await owner.call('apps.connection', { appId: database.id })
  const deploymentId = await insertRelease(appId, { REDIS_URL: url, TOKEN: 'planted-token', PORT: '3000' })
  expect(await owner.call('envs.changes', { appId })).toEqual({ deploymentId, changes: [], problems: [] })

  await owner.call('projectEnvs.replace', { projectId, variables: [{ key: 'TOKEN', value: 'planted-other' }] })
  const changed = await owner.call('envs.changes', { appId })
  expect(changed).toEqual({ deploymentId, changes: [{ key: 'TOKEN', is: 'changed' }], problems: [] })
  expect(JSON.stringify(changed)).not.toContain('planted')

  await owner.call('apps.delete', { appId: database.id })
  expect(await owner.call('envs.changes', { appId })).toMatchObject({
    changes: expect.arrayContaining([{ key: 'REDIS_URL', is: 'changed' }]),
    problems: [{ key: 'REDIS_URL', message: expect.stringContaining('${{store.URL}} names an app that this project does not have') }],
  })
})
