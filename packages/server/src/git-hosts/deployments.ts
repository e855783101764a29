import Type from 'typebox'
import { answerOf, inPath } from './answers.ts'
import { type CommitState, cut } from './commit-status.ts'
import type { AskHost } from './host-client.ts'

type HostDeployment = { readonly commit: string; readonly environment: string; readonly description: string }
type HostDeploymentStatus = {
  readonly state: CommitState
  readonly environment: string
  readonly description: string
  /** Where the app is, and where the log is; empty where nobody could open it. */
  readonly appUrl: string
  readonly logUrl: string
}

/** Deployments that a host shows by themselves, beside the status of a commit. */
export type HostDeployments = {
  /** Gives the host's id of it. */
  create(fullName: string, deployment: HostDeployment): Promise<string>
  setStatus(fullName: string, id: string, status: HostDeploymentStatus): Promise<void>
}

const STATES = { pending: 'queued', running: 'in_progress', success: 'success', failure: 'failure', cancelled: 'inactive' } as const
const readCreated = answerOf(Type.Object({ id: Type.Integer() }))

export function gitHubDeployments(ask: AskHost): HostDeployments {
  return {
    async create(fullName, { commit, environment, description }) {
      // It is deployed here in any case, so nothing is merged first and no check is waited for.
      const body = { ref: commit, environment, description: cut(description), auto_merge: false, required_contexts: [] }
      return String(readCreated((await ask({ method: 'POST', path: `/repos/${inPath(fullName)}/deployments`, body })).body).id)
    },
    async setStatus(fullName, id, { state, environment, description, appUrl, logUrl }) {
      const urls = { ...(appUrl !== '' && { environment_url: appUrl }), ...(logUrl !== '' && { log_url: logUrl }) }
      const body = { state: STATES[state], environment, description: cut(description), ...urls }
      await ask({ method: 'POST', path: `/repos/${inPath(fullName)}/deployments/${id}/statuses`, body })
    },
  }
}
