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
  /** The name and the id that the host has for the account, or for the installation of a GitHub App. */
  login: string
  host_id: string
  /** Empty for an installation: its tokens are requested when they are needed. */
  sealed_token: string
  /** The secret of webhooks that were registered before each webhook had its own. */
  sealed_secret: string
  /** The GitHub App of an installation. */
  github_app_id: number | null
  status: 'ok' | 'error' | 'suspended'
  error: string
  created_at: string
  updated_at: string
}
/** A GitHub App that was created for this server, or an existing one that it uses. */
export type GitHubAppTable = {
  id: Generated<number>
  base_url: string
  /** The id that the host gave it. */
  host_id: string
  slug: string
  name: string
  /** Identifies the app in the URL of its webhook. */
  hook_key: string
  user_id: number | null
  project_id: number | null
  created_by: number | null
  sealed_key: string
  sealed_secret: string
  /** The URL that we set for its webhook; empty for an existing app, whose webhook we do not set. */
  hook_url: string
  hook_error: string
  hook_failures: number
  hook_next_try_at: string
  /** 1 if a person chose `sealed_secret` and so knows it: of an app that was connected by hand. */
  chosen_secret: Generated<0 | 1>
  created_at: string
}
/** The `state` parameter with which a browser was sent to GitHub. It works once, and only in the session that began. */
export type GitHubStateTable = {
  /** Of the parameter, which itself is not stored. */
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
  /** The id that the host gave it; unique for an account. */
  delivery: string
  provider: GitProvider
  event: string
  repository: string
  branch: string
  commit_hash: string
  result: 'deployed' | 'ignored' | 'failed'
  reason: string
  headers: string
  /** Of a push: its details as JSON (see features/webhooks/push.ts). */
  push: string
  /** Compressed; empty if it was too large to keep. */
  body: Buffer
  repository_id: string
  before_hash: string
  /** The time of the push, if the host sends one; otherwise empty. */
  pushed_at: string
  /** A hash of what was signed, unique for an account; empty if the host signs nothing. */
  fingerprint: string
  /** 1 if it arrived after a newer push to the same branch. */
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
/** What `git_commit_url` of the apps of a repository was, until the repository was renamed at its host. */
export type GitFormerLinkTable = { account_id: number; repository_id: string; commit_url: string; noted_at: string }
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
  /** The host signs the deliveries of this webhook with it. Empty if the webhook was registered with the secret of the account. */
  sealed_secret: string
}
/** The private half of an app's deploy key. */
export type DeployKeyTable = { app_id: number; sealed_key: string }
/** What the last check of a source found, and when the next one is due. */
export type SourcePollTable = { app_id: number; source: string; commit_hash: string; failures: number; next_at: string }
/** The status of a deployment that was last sent to the host of its commit; `next_at` is null when there is nothing to send. */
export type CommitStatusTable = {
  deployment_id: number
  sent: string
  failures: number
  next_at: string | null
  /** The id of the deployment at the host; empty if only the status of the commit was sent. */
  host_deployment: Generated<string>
}
