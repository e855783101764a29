import type { SetCommitStatus } from './commit-status.ts'
import type { HostDeployments } from './deployments.ts'

/** What Berth asks of a git host. Each provider speaks its own API behind it. */
export type HostRepository = {
  /** The host's own, which stays when the repository is renamed. */
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
  /** Whether the newer one, a commit or a branch, has the older one in its history. */
  isAncestor(fullName: string, older: string, newer: string): Promise<boolean>
  /** Has pushes delivered to the address, proven with the secret; gives the host's id of the webhook. One with the same address is replaced. */
  addHook(fullName: string, hook: { url: string; secret: string }): Promise<string>
  /** One that is gone already is fine. */
  removeHook(fullName: string, hookId: string): Promise<void>
  /** Shows how a deployment of a commit goes, beside the commit. */
  setCommitStatus: SetCommitStatus
  /** Where the host knows such a thing. */
  deployments?: HostDeployments
}
