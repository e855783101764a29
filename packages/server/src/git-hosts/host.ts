import type { SetCommitStatus } from './commit-status.ts'
import type { HostDeployments } from './deployments.ts'

/** What Berth needs from a git host. Each provider implements it with its own API. */
export type HostRepository = {
  /** The host's own id, which does not change when the repository is renamed. */
  readonly id: number
  readonly fullName: string
  readonly isPrivate: boolean
  readonly defaultBranch: string
  readonly updatedAt: string
}
type HostBranch = { readonly name: string; readonly commit: string; readonly isProtected: boolean }
export type HostUser = { readonly id: number; readonly login: string }

export type GitHost = {
  whoAmI(): Promise<HostUser>
  repositories(search: string): Promise<HostRepository[]>
  repository(fullName: string): Promise<HostRepository>
  branches(fullName: string): Promise<HostBranch[]>
  /** Whether the newer one, a commit or a branch, contains the older one in its history. */
  isAncestor(fullName: string, older: string, newer: string): Promise<boolean>
  /** Registers a webhook for pushes, signed with the secret, and returns the host's id for it. One with the same URL is replaced. */
  addHook(fullName: string, hook: { url: string; secret: string }): Promise<string>
  /** It is not an error if it no longer exists. */
  removeHook(fullName: string, hookId: string): Promise<void>
  /** Sets the status of a deployment on its commit. */
  setCommitStatus: SetCommitStatus
  /** Where the host knows such a thing. */
  deployments?: HostDeployments
}
