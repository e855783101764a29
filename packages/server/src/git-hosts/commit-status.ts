import { inPath } from './answers.ts'
import type { AskHost } from './host-client.ts'

export type CommitState = 'pending' | 'running' | 'success' | 'failure' | 'cancelled'
/** What stands beside a commit at its host. */
export type CommitStatus = {
  readonly commit: string
  readonly state: CommitState
  /** One commit has one status of each name. */
  readonly name: string
  readonly description: string
  /** Where to read more; empty where nobody could open it. */
  readonly url: string
}
export type SetCommitStatus = (fullName: string, status: CommitStatus) => Promise<void>

/** GitHub and Gitea know no running one, and call what was cancelled an error. */
const GITHUB_STATES = { pending: 'pending', running: 'pending', success: 'success', failure: 'failure', cancelled: 'error' } as const
const GITLAB_STATES = { pending: 'pending', running: 'running', success: 'success', failure: 'failed', cancelled: 'canceled' } as const
/** The least that one of them takes. */
const LONGEST_DESCRIPTION = 140

export function gitHubStatus(ask: AskHost): SetCommitStatus {
  return async (fullName, { commit, state, name, description, url }) => {
    const body = { state: GITHUB_STATES[state], context: name, description: cut(description), ...(url !== '' && { target_url: url }) }
    await ask({ method: 'POST', path: `/repos/${inPath(fullName)}/statuses/${commit}`, body })
  }
}

export function gitLabStatus(ask: AskHost): SetCommitStatus {
  return async (fullName, { commit, state, name, description, url }) => {
    const body = { state: GITLAB_STATES[state], name, description: cut(description), ...(url !== '' && { target_url: url }) }
    await ask({ method: 'POST', path: `/projects/${encodeURIComponent(fullName)}/statuses/${commit}`, body })
  }
}

export function cut(text: string): string {
  return text.length <= LONGEST_DESCRIPTION ? text : `${text.slice(0, LONGEST_DESCRIPTION - 1)}…`
}
