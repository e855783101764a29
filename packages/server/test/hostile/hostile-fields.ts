import type { OperationName } from '@berth/contract'
import type { Person, TestServer } from '../../testing/harness/start-test-server.ts'
import { type RawAnswer, rawRequestOf } from '../../testing/harness/test-client.ts'
import { dumpDatabase } from '../../testing/harness/test-world.ts'

type Ids = { projectId: number; changedProjectId: number; appId: number; envId: number; n: number }
type Field = {
  readonly field: string
  readonly operation: OperationName
  readonly input: (text: string, ids: Ids) => Record<string, unknown>
  /** Where a successful response contains the value. */
  readonly said: (answer: Record<string, unknown>, text: string) => unknown
}

const created = (field: string, key: string, said: string): Field => ({
  field,
  operation: 'apps.create',
  input: (text, { projectId, n }) => ({ projectId, name: `app ${n}`, [key]: text }),
  said: (answer) => answer[said],
})
const changed = (field: string, key: string, said: string): Field => ({
  field,
  operation: 'apps.update',
  input: (text, { appId }) => ({ appId, [key]: text }),
  said: (answer) => answer[said],
})
const both = (field: string, key: string, said: string) => [created(field, key, said), changed(field, key, said)]

/** Every user-defined field that is used for something later, on creation and on change. */
export const HOSTILE_FIELDS: readonly Field[] = [
  { field: 'project name', operation: 'projects.create', input: (name) => ({ name }), said: ({ name }) => name },
  {
    field: 'project name',
    operation: 'projects.update',
    input: (name, { changedProjectId: id }) => ({ id, name }),
    said: ({ name }) => name,
  },
  {
    field: 'project description',
    operation: 'projects.create',
    input: (description, { n }) => ({ name: `project ${n}`, description }),
    said: ({ description }) => description,
  },
  ...both('name', 'name', 'name'),
  ...both('description', 'description', 'description'),
  ...both('repo', 'gitRepository', 'git_repository'),
  ...both('branch', 'gitBranch', 'git_branch'),
  ...both('clone URL', 'gitCloneUrl', 'git_clone_url'),
  changed('root dir', 'rootDirectory', 'root_directory'),
  changed('Dockerfile path', 'dockerfilePath', 'dockerfile_path'),
  changed('health path', 'healthcheckPath', 'healthcheck_path'),
  {
    ...created('template', 'templateName', 'template_name'),
    input: (templateName, { projectId, n }) => ({ projectId, name: `app ${n}`, appType: 'database', templateName }),
  },
  { ...created('env key', 'envVars', 'name'), input: (text, ids) => withEnv(ids, { [text]: 'x' }), said: (_answer, text) => text },
  { ...created('env value', 'envVars', 'name'), input: (text, ids) => withEnv(ids, { KEY: text }), said: (_answer, text) => text },
  { field: 'env key', operation: 'envs.create', input: (key, { appId }) => ({ appId, key, value: 'x' }), said: ({ key }) => key },
  { field: 'env key', operation: 'envs.update', input: (key, { envId: id }) => ({ id, key }), said: ({ key }) => key },
  {
    field: 'env value',
    operation: 'envs.create',
    input: (value, { appId, n }) => ({ appId, key: `KEY_${n}`, value }),
    said: ({ value }) => value,
  },
  { field: 'env value', operation: 'envs.update', input: (value, { envId: id }) => ({ id, value }), said: ({ value }) => value },
  { field: 'domain', operation: 'domains.create', input: (domain, { appId }) => ({ appId, domain }), said: ({ domain }) => domain },
]

function withEnv({ projectId, n }: Ids, envVars: Record<string, string>): Record<string, unknown> {
  return { projectId, name: `app ${n}`, envVars }
}

/** A person with a project and an app, whose fields are about to be filled. */
export async function openHostileWorld(berth: TestServer, person: Person) {
  const project = await person.call('projects.create', { name: 'Made' })
  const changedProject = await person.call('projects.create', { name: 'Changed' })
  const app = await person.call('apps.create', { projectId: changedProject.id, name: 'changed' })
  const variable = await person.call('envs.create', { appId: app.id, key: 'FIRST', value: 'x' })
  let n = 0

  async function send(field: Field, text: string): Promise<RawAnswer> {
    n += 1
    const ids = { projectId: project.id, changedProjectId: changedProject.id, appId: app.id, envId: variable.id, n }
    const { method, path, body } = rawRequestOf(field.operation, field.input(text, ids))
    return await berth.raw(method, path, { cookie: person.cookie, ...(body === undefined ? {} : { body }) })
  }

  /** Accepted literally, or refused in the envelope with nothing changed; anything else is a violation. */
  async function judge(field: Field, text: string): Promise<{ taken: boolean; complaint?: string }> {
    const before = JSON.stringify(await dumpDatabase(berth))
    const answer = await send(field, text)
    const at = `${field.operation} ${field.field} ${JSON.stringify(text)}: `
    if (answer.status === 200) {
      const said = field.said(answer.json.data as Record<string, unknown>, text) // an envelope with an object
      return said === text ? { taken: true } : { taken: true, complaint: `${at}became ${JSON.stringify(said)}` }
    }
    const isRefusal = answer.status >= 400 && answer.status < 500 && answer.json.success === false && typeof answer.json.error === 'string'
    if (!isRefusal) return { taken: false, complaint: `${at}${answer.status} ${answer.text}` }
    const isSame = before === JSON.stringify(await dumpDatabase(berth))
    return isSame ? { taken: false } : { taken: false, complaint: `${at}refused, and yet something changed` }
  }

  return { judge }
}
