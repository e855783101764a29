import Type, { type Static } from 'typebox'
import { Builder, BuildSettings, RepositoryBuildSettings } from './build-plan.ts'
import { expects, Flag, Id, Label, Nullable, OneOf, Port, Prose, Time } from './fields.ts'
import { REPOSITORY_NAME } from './git.ts'
import { AppProcess, MOST_REPLICAS, ProcessSettings } from './processes.ts'
import { Placement } from './servers.ts'
import { AppVolume, VolumeSettings } from './storage.ts'

export const APP_TYPES = ['web', 'service', 'database', 'compose'] as const
export type AppType = (typeof APP_TYPES)[number]
export const APP_STATUSES = ['stopped', 'running', 'error', 'building', 'deploying'] as const
export type AppStatus = (typeof APP_STATUSES)[number]
export const RESTART_POLICIES = ['no', 'always', 'on-failure', 'unless-stopped'] as const
export type RestartPolicy = (typeof RESTART_POLICIES)[number]
export const STRATEGIES = ['rolling', 'recreate'] as const
export type Strategy = (typeof STRATEGIES)[number]

export const AppType = OneOf(APP_TYPES)
export const AppStatus = OneOf(APP_STATUSES)
export const RestartPolicy = OneOf(RESTART_POLICIES)
export const Strategy = OneOf(STRATEGIES)

export const ENV_KEY = '^[A-Za-z_][A-Za-z0-9_.-]{0,255}$'
export const EnvKey = Type.String({
  pattern: ENV_KEY,
  ...expects('a letter or underscore, then letters, digits, dots, dashes or underscores, 256 characters at most'),
})
export const EnvValue = Type.String({ maxLength: 65536, pattern: '^[^\\u0000]*$', ...expects('a string of at most 64 KiB without NUL') })
export const EnvMap = Type.Record(EnvKey, EnvValue, {
  additionalProperties: false,
  maxProperties: 1000,
  ...expects('a map of variable names (letters, digits, dots, dashes, underscores) to strings of at most 64 KiB without NUL'),
})

export const Application = Type.Object({
  id: Id,
  name: Type.String(),
  description: Type.String(),
  project_id: Id,
  app_type: AppType,
  /** 0: none. */
  port: Type.Integer(),
  status: AppStatus,
  status_reason: Type.String(),
  /** Whether it has a live release, also while it is stopped. */
  is_deployed: Type.Boolean(),
  slug: Type.String(),
  created_by: Id,
  created_at: Time,
  updated_at: Time,
  git_repository: Type.String(),
  git_branch: Type.String(),
  git_provider_id: Nullable(Id),
  git_clone_url: Type.String(),
  /** Whether a push deploys it, if its source is a git account. */
  auto_deploy: Type.Boolean(),
  /** Only pushes that change one of these paths deploy it; empty means all pushes. */
  watch_paths: Type.Array(Type.String()),
  /** Whether it has a deploy hook. */
  deploy_hook: Type.Boolean(),
  /** The user who made its secret: the hook works while that user may deploy the application. Null without a hook, or if that user was deleted. */
  deploy_hook_by: Nullable(Id),
  /** The public half of its deploy key, for the repository's host; empty without one. */
  deploy_key: Type.String(),
  /** The SSH key of that host, pinned at its first use: host:port and the key's fingerprint. Empty before. */
  host_key: Type.String(),
  /** Whether its branch is polled every few minutes; null: only if no webhook reports pushes. */
  poll_source: Nullable(Type.Boolean()),
  /** The user who set the clone URL, whose rights decide what may be cloned; null if that user was deleted. */
  source_set_by: Nullable(Id),
  root_directory: Type.String(),
  dockerfile_path: Nullable(Type.String()),
  deployment_strategy: Strategy,
  restart_policy: RestartPolicy,
  cpu_limit: Nullable(Type.Number()),
  memory_limit: Nullable(Type.Integer()),
  /** How many containers of it run at once, each with these limits; always 1 for databases and compose apps. */
  replicas: Type.Integer(),
  /** The servers that may run it: empty for any, `this`, `server:<id>` or `label:<word>`. Takes effect on the next deployment. */
  placement: Type.String(),
  /** The server that has its data: `this`, or the id and the name of another one. Not there before its first release with volumes, nor in lists. */
  data_server: Type.Optional(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      /** Where it is being moved to. */
      moving_to: Type.Optional(Type.Object({ id: Type.String(), name: Type.String() })),
      /** Why the last move went back; empty if it did not. */
      move_problem: Type.String(),
    }),
  ),
  /** Besides its main process. An empty command is that of the repository. */
  processes: Type.Array(AppProcess),
  template_name: Type.String(),
  healthcheck_path: Type.String(),
  builder: Builder,
  /** The image that an app with the builder `image` runs; empty for all others. */
  image: Type.String(),
  install_command: Type.String(),
  build_command: Type.String(),
  start_command: Type.String(),
  output_directory: Type.String(),
  release_command: Type.String(),
  build_target: Type.String(),
  /** Not secret: they stay readable in the image. */
  build_args: Type.Record(Type.String(), Type.String()),
  volumes: Type.Array(AppVolume),
  /** The names of the build secrets; their values are never shown. */
  build_secrets: Type.Array(Type.String()),
  submodules: Type.Boolean(),
  lfs: Type.Boolean(),
  domains: Type.Array(Type.String()),
  /** The URL of the app, at the domain that works best. Empty without a domain. */
  url: Type.String(),
})
export type Application = Static<typeof Application>

/** The status that people see: an app without a release is not stopped, it was never deployed. */
export type ShownStatus = AppStatus | 'not_deployed'
export function shownStatus({ status, is_deployed }: Pick<Application, 'status' | 'is_deployed'>): ShownStatus {
  return status === 'stopped' && !is_deployed ? 'not_deployed' : status
}

/** An app in a list: without the settings that can be long, so that a list of a thousand is still a small response. */
export const ListedApplication = Type.Omit(Application, [
  'watch_paths',
  'install_command',
  'build_command',
  'start_command',
  'release_command',
  'processes',
  'data_server',
  'build_args',
  'volumes',
  'build_secrets',
  'submodules',
  'lfs',
])
export type ListedApplication = Static<typeof ListedApplication>

export const REPOSITORY_PATH = '^(?!/)(?!.*\\\\)(?!.*%2[eEfF])(?!.*(^|/)\\.\\.(/|$))[A-Za-z0-9_.@+ /-]*$'
const RepositoryPath = Type.String({
  maxLength: 512,
  pattern: REPOSITORY_PATH,
  ...expects('a path inside the repository, without "..", a leading "/" or a backslash'),
})
const Branch = Type.String({ maxLength: 255, ...expects('the name of a branch') })
const Source = {
  gitProviderId: Type.Optional(Nullable(Id)),
  gitRepository: Type.Optional(
    Type.String({ maxLength: 255, pattern: `^(${REPOSITORY_NAME})?$`, ...expects('owner/repository, or empty') }),
  ),
  gitBranch: Type.Optional(Branch),
  gitCloneUrl: Type.Optional(Type.String({ maxLength: 2048, ...expects('a clone URL, or empty') })),
  autoDeploy: Type.Optional(Flag),
  watchPaths: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 200, pattern: '^[^\\u0000-\\u001f\\u007f]+$' }), {
      maxItems: 50,
      ...expects('a list of at most 50 patterns such as "web/**"'),
    }),
  ),
  pollSource: Type.Optional(Nullable(Flag)),
  rootDirectory: Type.Optional(RepositoryPath),
  dockerfilePath: Type.Optional(Nullable(RepositoryPath)),
}

/** How an app runs; the same fields in `apps/create` and `apps/update`. */
const Runtime = {
  port: Type.Optional(Nullable(Port)),
  healthcheckPath: Type.Optional(
    Type.String({ maxLength: 512, pattern: '^(/[!-~]*)?$', ...expects('a path that starts with "/", or empty') }),
  ),
  deploymentStrategy: Type.Optional(Strategy),
  status: Type.Optional(AppStatus),
  cpuLimit: Type.Optional(
    Nullable(Type.Number({ exclusiveMinimum: 0, maximum: 1024, ...expects('a number of cores above 0 and at most 1,024') })),
  ),
  memoryLimit: Type.Optional(
    Nullable(Type.Integer({ minimum: 6, maximum: 16_777_216, ...expects('a whole number of megabytes between 6 and 16,777,216') })),
  ),
  restartPolicy: Type.Optional(RestartPolicy),
  /** Of web and service apps. One that is no longer listed is not mounted any more; its data is kept. */
  volumes: Type.Optional(VolumeSettings),
  replicas: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MOST_REPLICAS, ...expects(`a whole number between 1 and ${MOST_REPLICAS}`) }),
  ),
  /** Of web and service apps. Volumes and files keep an app on the server that Berth runs on. */
  placement: Type.Optional(Placement),
  /** Of web and service apps, besides the main process; replaces the whole list. */
  processes: Type.Optional(ProcessSettings),
}

export const NewApplication = Type.Object({
  name: Label(100),
  description: Type.Optional(Prose(2000)),
  projectId: Id,
  appType: Type.Optional(AppType),
  templateName: Type.Optional(Type.String({ maxLength: 60, ...expects('the name of a template') })),
  envVars: Type.Optional(EnvMap),
  ...Source,
  ...Runtime,
  ...BuildSettings,
})
export type NewApplication = Static<typeof NewApplication>

export const ApplicationChange = Type.Object({
  appId: Id,
  name: Type.Optional(Label(100)),
  description: Type.Optional(Prose(2000)),
  ...Source,
  ...Runtime,
  ...BuildSettings,
})
export type ApplicationChange = Static<typeof ApplicationChange>

export const ApplicationDeletion = Type.Object({ appId: Id, deleteVolumes: Type.Optional(Flag) })
/** `server` is the id of another server, or `this` for the one that Berth runs on. */
export const AppMove = Type.Object({
  appId: Id,
  server: Type.String({ minLength: 1, maxLength: 40, pattern: '^[a-z0-9]+$', ...expects('the id of a server, or "this"') }),
})
export const Transfer = Type.Object({ appId: Id, userId: Id })
export const AppOnly = Type.Object({ appId: Id })

export const Connection = Type.Object({ url: Type.String(), host: Type.String(), port: Type.Integer() })
export type Connection = Static<typeof Connection>

export const SourceCheckRequest = Type.Object({
  projectId: Id,
  gitCloneUrl: Type.String({ minLength: 1, maxLength: 2048, ...expects('a clone URL') }),
  gitBranch: Type.Optional(Branch),
  gitProviderId: Source.gitProviderId,
})
export const SourceCheck = Type.Object({
  reachable: Type.Boolean(),
  message: Type.String(),
  defaultBranch: Type.String(),
  branches: Type.Array(Type.String()),
})
export type SourceCheck = Static<typeof SourceCheck>

/** The names of a Compose file; the first one that exists is used. */
export const COMPOSE_FILES = ['compose.yaml', 'compose.yml', 'docker-compose.yaml', 'docker-compose.yml'] as const

export const SourceFilesRequest = Type.Object({
  ...SourceCheckRequest.properties,
  rootDirectory: Source.rootDirectory,
  dockerfilePath: Source.dockerfilePath,
})
/** Before there is an app: its source, and the settings that it would have. */
export const NewBuildPlanRequest = Type.Object({
  ...SourceFilesRequest.properties,
  ...RepositoryBuildSettings,
  port: Runtime.port,
})
export const SourceFile = Type.Object({
  state: OneOf(['found', 'missing', 'unknown']),
  /** The path that a deployment would use. */
  path: Type.String(),
  /** Other candidates, relative to the root of the repository. */
  others: Type.Array(Type.String()),
  /** Why it is unknown; otherwise empty. */
  reason: Type.String(),
})
export type SourceFile = Static<typeof SourceFile>
export const SourceFiles = Type.Object({ dockerfile: SourceFile, composeFile: SourceFile })
export type SourceFiles = Static<typeof SourceFiles>
