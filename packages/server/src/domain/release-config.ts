import type { AppProcess, AppType, AppVolume, Builder, RestartPolicy, Strategy } from '@berth/contract'
import type { SecretBox } from '../lib/secret-box.ts'
import { processesOf } from './processes.ts'
import type { AppRow } from './rows.ts'

/** The settings a release was started with. A rollback uses the same ones, whatever has changed since. */
export type ReleaseConfig = {
  type: AppType
  slug: string
  template: string
  env: Readonly<Record<string, string>>
  /** Releases from before this was recorded have none. */
  source?: { branch: string; rootDirectory: string; dockerfilePath: string }
  build?: BuildConfig
  volumes?: readonly { name: string; path: string; shareable?: boolean }[]
  /** Which files it has; their contents are stored beside it. `version` is the same for the same content. */
  files?: readonly { path: string; mode: string; version: string }[]
  port: number | null
  healthcheckPath: string
  strategy: Strategy
  restart: RestartPolicy
  cpus: number | null
  memoryMb: number | null
  /** As it was when the release was made: it can be changed without a new one. Releases from before this was recorded have one. */
  replicas?: number
  /** The settings of the processes beside the main one. What the release runs is in its row: the repository may have commands too. */
  processes?: readonly AppProcess[]
}

/** How it was built: the settings of the app. The repository's berth.json comes before them. */
export type BuildConfig = {
  builder: Builder
  installCommand: string
  buildCommand: string
  startCommand: string
  outputDirectory: string
  releaseCommand: string
  buildTarget: string
  /** Of the builder `image`. Releases from before there was one have none. */
  image?: string
  /** Who named it, and whose registry credentials count beside those of the project. */
  imageSetBy?: number | null
  buildArgs: Readonly<Record<string, string>>
  /** Releases from before there were these switches have none. */
  submodules?: boolean
  lfs?: boolean
}

export const DEFAULT_BUILD: BuildConfig = {
  builder: 'auto',
  installCommand: '',
  buildCommand: '',
  startCommand: '',
  outputDirectory: '',
  releaseCommand: '',
  buildTarget: '',
  buildArgs: {},
}

export function buildConfigOf(app: AppRow): BuildConfig {
  return {
    builder: app.builder,
    installCommand: app.install_command,
    buildCommand: app.build_command,
    startCommand: app.start_command,
    outputDirectory: app.output_directory,
    releaseCommand: app.release_command,
    buildTarget: app.build_target,
    image: app.image,
    imageSetBy: app.source_set_by,
    buildArgs: JSON.parse(app.build_args) as Record<string, string>, // written by us, as the contract says
    submodules: app.submodules === 1,
    lfs: app.lfs === 1,
  }
}

export function aboutRelease(appId: number): string {
  return `release:${appId}`
}

export function configOf(app: AppRow, env: Readonly<Record<string, string>>, files: ReleaseConfig['files'] = []): ReleaseConfig {
  const port = app.port === null || 'PORT' in env ? {} : { PORT: String(app.port) }
  return {
    type: app.app_type,
    slug: app.slug,
    template: app.template_name,
    env: { ...port, ...env },
    source: { branch: app.git_branch, rootDirectory: app.root_directory, dockerfilePath: app.dockerfile_path ?? '' },
    build: buildConfigOf(app),
    volumes: JSON.parse(app.volumes) as AppVolume[], // written by us, as the contract says
    files,
    port: app.port,
    healthcheckPath: app.healthcheck_path,
    strategy: app.deployment_strategy,
    restart: app.restart_policy,
    cpus: app.cpu_limit,
    memoryMb: app.memory_limit,
    replicas: app.replicas,
    processes: processesOf(app),
  }
}

export function sealConfig(secrets: SecretBox, appId: number, config: ReleaseConfig): string {
  return secrets.seal(JSON.stringify(config), aboutRelease(appId))
}

export function openConfig(secrets: SecretBox, appId: number, sealed: string): ReleaseConfig {
  return JSON.parse(secrets.open(sealed, aboutRelease(appId))) as ReleaseConfig // sealed by sealConfig alone, and GCM proves it
}
