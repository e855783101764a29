import { type Answered, type Asked, type HostRepo, type Model, NOT_FOUND, type Style } from './model.ts'

const STATES: Record<Style, readonly string[]> = {
  github: ['error', 'failure', 'pending', 'success'],
  gitea: ['error', 'failure', 'pending', 'success', 'warning'],
  gitlab: ['pending', 'running', 'success', 'failed', 'canceled', 'skipped'],
}

/** Takes the status of a commit as each host documents it, and nothing else. */
export function statusApi(model: Model, { method, body }: Asked, { repo, commit }: { repo: HostRepo; commit: string }): Answered {
  if (method !== 'POST') return { status: 405, body: { message: 'Method Not Allowed' } }
  const name = textIn(body, model.style === 'gitlab' ? 'name' : 'context')
  const [state, description, url] = [textIn(body, 'state'), textIn(body, 'description'), textIn(body, 'target_url')]
  const isTooLong = model.style === 'github' && description.length > 140
  if (!STATES[model.style].includes(state) || !/^[0-9a-f]{40}$/.test(commit) || isTooLong)
    return { status: 422, body: { message: 'Validation Failed', errors: [] } }
  const before = model.statuses.findLast((each) => each.repositoryId === repo.id && each.commit === commit && each.name === name)
  if (model.style === 'gitlab' && before?.state === state)
    return { status: 400, body: { message: `Cannot transition status via :enqueue from :${state}` } }
  model.statuses.push({ repositoryId: repo.id, commit, name, state, description, url })
  return {
    status: 201,
    body: { id: model.statuses.length, state, description, target_url: url, context: name, created_at: repo.updatedAt },
  }
}

const DEPLOYMENT_STATES = ['error', 'failure', 'inactive', 'in_progress', 'queued', 'pending', 'success']
const NOT_ACCESSIBLE: Answered = { status: 403, body: { message: 'Resource not accessible by personal access token', status: '403' } }
const INVALID: Answered = { status: 422, body: { message: 'Validation Failed', errors: [] } }

/** GitHub's deployments and their statuses: a commit that nobody merges, and checks that nobody waits for, have to be asked for. */
export function deploymentApi(model: Model, { method, body, person, path }: Asked, repo: HostRepo): Answered {
  const [, , , , , , id = '', what = ''] = path
  if (method !== 'POST') return { status: 405, body: { message: 'Method Not Allowed' } }
  if (!person.mayDeploy) return NOT_ACCESSIBLE
  const [commit, environment] = [textIn(body, 'ref'), textIn(body, 'environment')]
  if (id === '') {
    const contexts = body['required_contexts']
    if (!/^[0-9a-f]{40}$/.test(commit)) return INVALID
    if (body['auto_merge'] !== false || !Array.isArray(contexts) || contexts.length > 0)
      return { status: 409, body: { message: 'Conflict: Commit status checks failed for this ref.' } }
    const made = { id: 9000 + model.deployments.length, repositoryId: repo.id, commit, environment, statuses: [] }
    model.deployments.push(made)
    const shown = { id: made.id, sha: commit, ref: commit, task: 'deploy', environment, created_at: repo.updatedAt, statuses_url: '' }
    return { status: 201, body: shown }
  }
  const found = model.deployments.find((each) => String(each.id) === id && each.repositoryId === repo.id)
  if (!found || what !== 'statuses') return NOT_FOUND
  if (!DEPLOYMENT_STATES.includes(textIn(body, 'state')) || textIn(body, 'description').length > 140) return INVALID
  const fields = ['state', 'description', 'environment', 'environment_url', 'log_url'] as const
  found.statuses.push(Object.fromEntries(fields.map((field) => [field, textIn(body, field)])))
  return { status: 201, body: { id: found.statuses.length, ...found.statuses.at(-1), created_at: repo.updatedAt } }
}

function textIn(body: Asked['body'], field: string): string {
  const value = body[field]
  return typeof value === 'string' ? value : ''
}
