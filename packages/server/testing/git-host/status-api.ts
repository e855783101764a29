import type { Answered, Asked, HostRepo, Model, Style } from './model.ts'

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

function textIn(body: Asked['body'], field: string): string {
  const value = body[field]
  return typeof value === 'string' ? value : ''
}
