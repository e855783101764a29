import type { DeploymentStatus } from '@berth/contract'
import type { CommitState } from '../../git-hosts/commit-status.ts'

/** The state to report for a deployment. A release that a rollback replaced was already reported. */
const STATES = {
  pending: 'pending',
  building: 'running',
  deploying: 'running',
  success: 'success',
  failed: 'failure',
  stopped: 'cancelled',
  rolled_back: undefined,
} as const satisfies Record<DeploymentStatus, CommitState | undefined>

export function stateOf(status: DeploymentStatus): CommitState | undefined {
  return STATES[status]
}

/** Fixed texts only: people who can see the commit at its host may not be allowed to read the log. */
export function descriptionOf(state: CommitState, url: string): string {
  const words: Record<CommitState, string> = {
    pending: 'Waiting to be deployed',
    running: 'Building and starting',
    success: url === '' ? 'Live' : `Live at ${url}`,
    failure: 'The deployment failed; its log says why',
    cancelled: 'The deployment was stopped',
  }
  return words[state]
}
