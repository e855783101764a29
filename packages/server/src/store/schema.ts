import type {
  AppStatus,
  AppType,
  Builder,
  DeploymentStatus,
  DnsStatus,
  RestartPolicy,
  SslStatus,
  Stage,
  Strategy,
  Trigger,
} from '@berth/contract'
import type { Generated } from 'kysely'
import type { CertificateTables } from './certificate-tables.ts'
import type {
  CommitStatusTable,
  DeployKeyTable,
  GitAccountTable,
  GitDeliveryAppTable,
  GitDeliveryTable,
  GitFormerLinkTable,
  GitHookTable,
  GitHubAppTable,
  GitHubStateTable,
  SourcePollTable,
} from './git-tables.ts'
import type { DeploymentFileTable, DeploymentLogPartTable, DeploymentLogTable } from './log-tables.ts'
import type { ControlPlaneTable, LeaseTable, RouteChangeTable } from './node-tables.ts'
import type { InvitationTable, LoginDelayTable, SessionTable, UserTable } from './people-tables.ts'
import type { ImageServerTable, PrivateHostTable, PrivateImageTable, RegistryTable } from './registry-tables.ts'
import type { ServerTables } from './server-tables.ts'
import type { AppFileTable, ReleaseFilesTable } from './storage-tables.ts'

/** SQLite has no booleans. */
type Bit = 0 | 1

export type ProjectTable = {
  id: Generated<number>
  name: string
  slug: string
  description: string
  tags: string
  owner_id: number
  created_at: string
  updated_at: string
}
type ProjectMemberTable = { project_id: number; user_id: number; added_at: string }
export type AppTable = {
  id: Generated<number>
  project_id: number
  name: string
  slug: string
  description: string
  app_type: AppType
  port: number | null
  status: AppStatus
  status_reason: string
  /** The state that a user last requested. `status` is the actual state. */
  wanted: 'running' | 'stopped'
  /** Services of a compose app that should not run, as JSON. */
  stopped_services: Generated<string>
  created_by: number
  git_repository: string
  git_branch: string
  git_provider_id: number | null
  git_clone_url: string
  /** The host's own id of the repository, which stays when it is renamed; empty without an account. */
  git_repository_id: Generated<string>
  /** The URL of a commit at the host, up to the hash; empty if unknown. */
  git_commit_url: Generated<string>
  auto_deploy: Generated<Bit>
  /** A list of patterns, as JSON. */
  watch_paths: Generated<string>
  /** Of the secret of its deploy hook; empty without one. */
  hook_hash: Generated<string>
  /** Who made that secret; null if that user was deleted. */
  hook_by: number | null
  /** The public half of its deploy key, as one line; empty without one. */
  deploy_key: Generated<string>
  /** The SSH key of its source's host, pinned at the first use: `host:port type key`. */
  host_key: Generated<string>
  /** Whether its branch is looked at every few minutes; null: where no webhook tells of pushes. */
  poll_source: Bit | null
  /** The user whose rights decide what may be cloned; null if that user was deleted. */
  source_set_by: number | null
  root_directory: string
  dockerfile_path: string | null
  healthcheck_path: string
  deployment_strategy: Strategy
  restart_policy: RestartPolicy
  cpu_limit: number | null
  memory_limit: number | null
  /** How many containers of it run at once. */
  replicas: Generated<number>
  /** The servers that may run it, as the contract says; empty for any. */
  placement: Generated<string>
  /** Beside its main one: a list of {name, command, replicas}, as JSON. */
  processes: Generated<string>
  template_name: string
  /** A list of {name, path, shareable}, as JSON. */
  volumes: Generated<string>
  builder: Generated<Builder>
  /** Of an app with the builder `image`; empty for all others. */
  image: Generated<string>
  install_command: Generated<string>
  build_command: Generated<string>
  start_command: Generated<string>
  output_directory: Generated<string>
  release_command: Generated<string>
  build_target: Generated<string>
  /** Names and values, as JSON. Not secret. */
  build_args: Generated<string>
  submodules: Generated<0 | 1>
  lfs: Generated<0 | 1>
  created_at: string
  updated_at: string
}
/** The compose file of an app that has no repository. */
type ComposeFileTable = { app_id: number; text: string; updated_at: string }
export type EnvVariableTable = {
  id: Generated<number>
  app_id: number
  key: string
  sealed_value: string
  created_at: string
  updated_at: string
}
export type ProjectVariableTable = {
  id: Generated<number>
  project_id: number
  key: string
  sealed_value: string
  created_at: string
  updated_at: string
}
export type DomainTable = {
  id: Generated<number>
  app_id: number
  host: string
  generated: Bit
  ssl_status: SslStatus
  ssl_error: string
  dns_status: DnsStatus
  dns_error: string
  expires_at: string | null
  next_try_at: string | null
  redirect_https: Bit
  hsts: Bit
  own_certificate: Bit
  /** Of a compose app: who visitors reach, and at which port. Empty and null for those of the app. */
  service: Generated<string>
  port: Generated<number | null>
  created_at: string
}
export type DeploymentTable = {
  id: Generated<number>
  app_id: number
  number: number
  status: DeploymentStatus
  stage: Stage | ''
  progress: number
  commit_hash: string
  commit_message: string
  commit_author: string
  /** The URL of the commit at its host, up to the hash. */
  commit_url: Generated<string>
  error_message: string
  trigger: Trigger
  triggered_by: number | null
  is_active: Bit
  rolled_back_from: number | null
  /** The release whose image a rollback starts again. */
  release_of: number | null
  /** Its artifact: `image`, or for a compose app `main_service`, never both (see domain/artifact.ts). */
  image: string
  main_service: Generated<string>
  /** Those that it knows beside its main one, as JSON, with the numbers that it was made with (see domain/processes.ts). */
  processes: Generated<string>
  /** The settings and the environment it was started with, sealed. */
  sealed_config: string
  /** Facts about a failure besides its message (see features/deployments/failure/facts.ts). */
  failure: Generated<string>
  /** The steps so far and their durations, as JSON (see features/deployments/run/steps.ts). */
  steps: Generated<string>
  without_cache: Generated<Bit>
  /** Of a ready image: its name, tag and digest. */
  image_ref: Generated<string>
  /** The release command runs once: written before it begins, and when it has ended well. */
  release_run: Generated<'' | 'begun' | 'done'>
  attempts: number
  started_at: string | null
  finished_at: string | null
  duration: number
  created_at: string
  updated_at: string
}
/** For builds only, encrypted. */
type BuildSecretTable = { app_id: number; name: string; sealed_value: string }
/** What its build was decided to be, as JSON (see the contract's BuildPlan). */
type DeploymentPlanTable = { deployment_id: number; plan: string }
export type JobTable = {
  id: Generated<number>
  name: string
  payload: string
  /** Jobs of one lane run one at a time, in order. */
  lane: string
  /** The person the job is for, so that nobody takes all the slots. */
  tenant: string
  run_at: string
  attempts: number
  lease_until: string | null
  /** Who holds the lease. */
  worker: string | null
  /** Grows with each claim, so that an earlier holder can be told from the current one. */
  fence: Generated<number>
  created_at: string
}
export type EventTable = { seq: Generated<number>; at: string; type: string; project_id: number | null; data: string }
export type AuditTable = {
  id: Generated<number>
  at: string
  actor_id: number | null
  actor_email: string
  action: string
  subject: string
  subject_id: number | null
  before: string
  after: string
  address: string
  request_id: string
  /** Of the lines that are kept. */
  share: string
}
/** A port of the machine that leads to a service of an app. One that is not wanted belongs to the app until its next release is live. */
type PublishedPortTable = {
  port: number
  protocol: 'tcp' | 'udp'
  app_id: number
  since: string
  service: string
  target: number
  address: string
  is_wanted: 0 | 1
}
export type BuildTimeTable = { id: Generated<number>; started_at: string; ended_at: string | null }
/** One hour of an app's figures (see features/figures/samples.ts); `slot` is its place among those that are kept. */
type AppFigureTable = { app_id: number; slot: number; hour: number; samples: Uint8Array }
type SettingTable = { name: string; value: string }
/** Facts about this instance: its id, the set-up token, that it has been set up. */
type FactTable = { name: string; value: string }

export type Schema = CertificateTables &
  ServerTables & {
    user: UserTable
    session: SessionTable
    login_delay: LoginDelayTable
    invitation: InvitationTable
    project: ProjectTable
    project_member: ProjectMemberTable
    app: AppTable
    env_variable: EnvVariableTable
    project_variable: ProjectVariableTable
    domain: DomainTable
    deployment: DeploymentTable
    deployment_plan: DeploymentPlanTable
    deployment_log: DeploymentLogTable
    deployment_log_part: DeploymentLogPartTable
    deployment_file: DeploymentFileTable
    app_file: AppFileTable
    release_files: ReleaseFilesTable
    git_account: GitAccountTable
    git_delivery: GitDeliveryTable
    git_delivery_app: GitDeliveryAppTable
    git_former_link: GitFormerLinkTable
    git_hook: GitHookTable
    deploy_key: DeployKeyTable
    build_secret: BuildSecretTable
    registry: RegistryTable
    private_host: PrivateHostTable
    private_image: PrivateImageTable
    image_server: ImageServerTable
    source_poll: SourcePollTable
    commit_status: CommitStatusTable
    github_app: GitHubAppTable
    github_state: GitHubStateTable
    job: JobTable
    control_plane: ControlPlaneTable
    lease: LeaseTable
    route_change: RouteChangeTable
    event: EventTable
    audit: AuditTable
    published_port: PublishedPortTable
    compose_file: ComposeFileTable
    build_time: BuildTimeTable
    app_figure: AppFigureTable
    setting: SettingTable
    fact: FactTable
  }
