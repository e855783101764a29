import { inPath } from './answers.ts'
import type { AskHost } from './host-client.ts'

export type CommitState = 'pending' | 'running' | 'success' | 'failure' | 'cancelled'
/** A status shown beside a commit on its host. */
type CommitStatus = {
  readonly commit: string
  readonly state: CommitState
  /** A commit has one status per name. */
  readonly name: string
  readonly description: string
  /** A link with details; empty if nobody could open it. */
  readonly url: string
}
export type SetCommitStatus = (fullName: string, status: CommitStatus) => Promise<void>

/** GitHub and Gitea have no state for "running", and report a cancelled one as an error. */
const GITHUB_STATES = { pending: 'pending', running: 'pending', success: 'success', failure: 'failure', cancelled: 'error' } as const
const GITLAB_STATES = { pending: 'pending', running: 'running', success: 'success', failure: 'failed', cancelled: 'canceled' } as const
/** The shortest limit among the hosts. */
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
