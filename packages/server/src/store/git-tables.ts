import type { GitProvider } from '@berth/contract'
import type { Generated } from 'kysely'

/** Belongs to a person (`user_id`) or to a project (`project_id`), never to both. */
export type GitAccountTable = {
  id: Generated<number>
  provider: GitProvider
  via: 'app' | 'token'
  name: string
  base_url: string
  user_id: number | null
  project_id: number | null
  created_by: number | null
  /** Who it is at the host, by name and by the host's own id. */
  login: string
  host_id: string
  /** Empty for an installation, whose tokens are made when they are needed. */
  sealed_token: string
  /** What proves deliveries of webhooks that were registered before each had a secret of its own. */
  sealed_secret: string
  /** Of an installation: its app. */
  github_app_id: number | null
  status: 'ok' | 'error' | 'suspended'
  error: string
  created_at: string
  updated_at: string
}
/** A GitHub App that was made for this server or is used by it. */
export type GitHubAppTable = {
  id: Generated<number>
  base_url: string
  /** The host's own id of it. */
  host_id: string
  slug: string
  name: string
  /** Names the app in the address of its webhook. */
  hook_key: string
  user_id: number | null
  project_id: number | null
  created_by: number | null
  sealed_key: string
  sealed_secret: string
  /** Where the host sends deliveries, as we told it; empty for an app whose settings are somebody else's. */
  hook_url: string
  hook_error: string
  hook_failures: number
  hook_next_try_at: string
  created_at: string
}
/** What a browser was sent to GitHub with, by its hash. It is used once, by the session that began. */
export type GitHubStateTable = {
  hash: string
  session_id: string
  step: 'create' | 'install'
  base_url: string
  hook_key: string
  project_id: number | null
  github_app_id: number | null
  expires_at: string
}
export type GitDeliveryTable = {
  id: Generated<number>
  account_id: number
  /** The host's own id of it, which an account has once. */
  delivery: string
  provider: GitProvider
  event: string
  repository: string
  branch: string
  commit_hash: string
  result: 'deployed' | 'ignored' | 'failed'
  reason: string
  headers: string
  /** Of a push: what it was, as JSON (see features/webhooks/push.ts). */
  push: string
  /** Compressed; empty where it was too large to keep. */
  body: Buffer
  repository_id: string
  before_hash: string
  /** When the host says that it was pushed; empty where it does not say. */
  pushed_at: string
  /** Of what was signed, which an account has once; empty where nothing was. */
  fingerprint: string
  /** It came after a newer push to the same branch. */
  is_late: number
  received_at: string
}
export type GitDeliveryAppTable = {
  id: Generated<number>
  delivery_id: number
  app_id: number
  deployment_id: number | null
  reason: string
}
/** A webhook that we registered at a host, or tried to. */
export type GitHookTable = {
  account_id: number
  repository_id: string
  repository: string
  hook_id: string
  url: string
  error: string
  failures: number
  next_try_at: string
  /** What the host signs the deliveries of this webhook with; empty for one that was registered with the account's. */
  sealed_secret: string
}
/** The private half of an app's deploy key. */
export type DeployKeyTable = { app_id: number; sealed_key: string }
/** What the last look at a source found, and when the next one is due. */
export type SourcePollTable = { app_id: number; source: string; commit_hash: string; failures: number; next_at: string }
/** What the host of a commit was told of its deployment; `next_at` is null when there is nothing to tell. */
export type CommitStatusTable = {
  deployment_id: number
  sent: string
  failures: number
  next_at: string | null
  /** What the host calls this deployment; empty where it was told of the commit alone. */
  host_deployment: Generated<string>
}
