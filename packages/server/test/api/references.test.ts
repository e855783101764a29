import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../../testing/harness/start-test-server.ts'
import { dumpDatabase } from '../../testing/harness/test-world.ts'

let berth: TestServer
let owner: Person
beforeAll(async () => {
  berth = await startTestServer()
  owner = await berth.owner()
})
afterAll(async () => await berth[Symbol.asyncDispose]())

async function newProject(variables: { key: string; value: string }[] = []): Promise<number> {
  const { id: projectId } = await owner.call('projects.create', { name: 'Wiring' })
  if (variables.length > 0) await owner.call('projectEnvs.replace', { projectId, variables })
  return projectId
}
async function newApp(projectId: number, name: string, envVars: Record<string, string> = {}): Promise<number> {
  return (await owner.call('apps.create', { projectId, name, envVars })).id
}
async function newDatabase(projectId: number, name: string, envVars: Record<string, string> = {}): Promise<number> {
  return (await owner.call('apps.create', { projectId, name, appType: 'database', templateName: 'postgres', envVars })).id
}

/** Without an engine: a deployment whose references cannot be resolved fails before it needs one. */
async function failureOf(appId: number): Promise<string> {
  const { id } = await owner.call('deployments.add', { appId })
  const read = async () => await owner.call('deployments.get', { id })
  await expect.poll(async () => (await read()).status, { timeout: 30_000 }).toBe('failed')
  const { error_message } = await read()
  expect(await owner.call('deployments.log', { deploymentId: id })).toContain(error_message)
  return error_message
}

describe('variables of a project', () => {
  it('are set all at once, and what stays the same keeps its row', async () => {
    const projectId = await newProject([
      { key: 'A', value: 'a' },
      { key: 'B', value: 'b' },
    ])
    const before = await owner.call('projectEnvs.list', { projectId })
    expect(before).toMatchObject([
      { projectId, key: 'A', value: 'a' },
      { projectId, key: 'B', value: 'b' },
    ])
    const variables = [
      { key: 'B', value: 'b' },
      { key: 'C', value: '${{store.URL}}' },
    ]
    const after = await owner.call('projectEnvs.replace', { projectId, variables })
    expect(after).toMatchObject(variables)
    expect(after[0]).toEqual(before[1])
  })

  it('are sealed in the database, and the audit log has their names alone', async () => {
    const projectId = await newProject([{ key: 'TOKEN', value: 'planted-secret-of-the-project' }])
    expect(JSON.stringify(await dumpDatabase(berth))).not.toContain('planted-secret-of-the-project')
    const [line] = await owner.call('audit.list', { limit: 1, action: 'project.env_replace' })
    expect(line).toMatchObject({ subject: 'project', subjectId: projectId, after: { keys: ['TOKEN'] } })
  })

  it('have the limits of an environment, and each key once', async () => {
    const projectId = await newProject()
    const large = ['A', 'B', 'C'].map((key) => ({ key, value: 'x'.repeat(60_000) }))
    await expect(owner.call('projectEnvs.replace', { projectId, variables: large })).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('variables of the project are 176 KiB with their names, but the limit is 128 KiB'),
    })
    const twice = [
      { key: 'A', value: '1' },
      { key: 'A', value: '2' },
    ]
    await expect(owner.call('projectEnvs.replace', { projectId, variables: twice })).rejects.toMatchObject({ code: 'invalid_request' })
    expect(await owner.call('projectEnvs.list', { projectId })).toEqual([])
  })
})

describe('a deployment', () => {
  it('fails with the name of an app that is not there, and of one that was deleted meanwhile', async () => {
    const projectId = await newProject()
    const database = await newDatabase(projectId, 'Main store')
    const app = await newApp(projectId, 'web', { DATABASE_URL: '${{main-store.URL}}' })
    expect((await owner.call('envs.changes', { appId: app })).problems).toEqual([])
    await owner.call('apps.delete', { appId: database })
    expect(await failureOf(app)).toBe(
      'The variable DATABASE_URL cannot be resolved: ${{main-store.URL}} names an app that this project does not have.',
    )
  })

  it('fails with the name of a variable that is not there, and of a circle', async () => {
    const projectId = await newProject([{ key: 'ROUND', value: '${{web.A}}' }])
    const app = await newApp(projectId, 'web', { A: '${{project.ROUND}}', B: '${{project.MISSING}}' })
    const failure = await failureOf(app)
    expect(failure).toContain('${{project.ROUND}} → ${{web.A}} → ${{project.ROUND}} is a circular reference')
    expect(failure).toContain('${{project.MISSING}} names a variable that the project does not have')
  })

  it('never reaches into another project', async () => {
    const other = await newProject([{ key: 'SECRET', value: 'planted-elsewhere' }])
    await newApp(other, 'elsewhere', { SECRET: 'planted-elsewhere' })
    const projectId = await newProject()
    const app = await newApp(projectId, 'web', { A: '${{elsewhere.SECRET}}', B: '${{project.SECRET}}' })
    const failure = await failureOf(app)
    expect(failure).toContain('${{elsewhere.SECRET}} names an app that this project does not have')
    expect(failure).toContain('${{project.SECRET}} names a variable that the project does not have')
    expect(failure).not.toContain('planted')
  })
})

it('answers show references as they were written', async () => {
  const projectId = await newProject([{ key: 'TOKEN', value: 'planted-token' }])
  const appId = await newApp(projectId, 'web', { TOKEN: '${{project.TOKEN}}' })
  expect(await owner.call('envs.list', { appId })).toMatchObject([{ key: 'TOKEN', value: '${{project.TOKEN}}' }])
  expect(JSON.stringify(await owner.call('audit.list', { limit: 20 }))).not.toContain('planted-token')
})

it('a renamed database keeps the name that references use', async () => {
  const projectId = await newProject()
  const database = await newDatabase(projectId, 'store')
  const appId = await newApp(projectId, 'web', { DATABASE_URL: '${{store.URL}}' })
  const renamed = await owner.call('apps.update', { appId: database, name: 'Something else' })
  expect(renamed).toMatchObject({ name: 'Something else', slug: 'store' })
  expect((await owner.call('envs.changes', { appId })).problems).toEqual([])
})

it('the connection URL of a database follows the references in its own variables', async () => {
  const projectId = await newProject([{ key: 'PASSWORD', value: 'a/b' }])
  const appId = await newDatabase(projectId, 'store', { POSTGRES_PASSWORD: '${{project.PASSWORD}}' })
  expect((await owner.call('apps.connection', { appId })).url).toBe('postgres://berth:a%2Fb@store:5432/app')
  await owner.call('projectEnvs.replace', { projectId, variables: [] })
  await expect(owner.call('apps.connection', { appId })).rejects.toMatchObject({
    code: 'invalid_request',
    message: expect.stringContaining('${{project.PASSWORD}} names a variable that the project does not have'),
  })
})

it('no app takes the name that means the project', async () => {
  const projectId = await newProject()
  const named = await owner.call('apps.create', { projectId, name: 'Project' })
  expect(named).toMatchObject({ name: 'Project', slug: 'project-2' })
})
