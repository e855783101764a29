import { type AppType, buildArgsProblem, type NewApplication } from '@berth/contract'
import type { Insertable } from 'kysely'
import { DEFAULT_APP_TYPE, kindOf } from '../../domain/app-kinds.ts'
import { AppError, fieldError } from '../../lib/app-error.ts'
import type { AppTable } from '../../store/schema.ts'
import type { DatabaseTemplate } from '../templates/templates.ts'
import { processesFrom } from './processes.ts'
import { refuseSeveralWriters, volumesFrom } from './volumes.ts'

type Options = { slug: string; createdBy: number; template: DatabaseTemplate | undefined; at: string }

/** The template of a new app, or why there is none. */
export function templateOf(input: NewApplication, find: (name: string) => DatabaseTemplate | undefined): DatabaseTemplate | undefined {
  if (kindOf({ type: input.appType ?? DEFAULT_APP_TYPE }).madeFrom !== 'template') return undefined
  if (input.templateName === undefined || input.templateName.trim() === '') {
    throw new AppError('template_required', { details: [{ field: 'templateName', message: 'is required for a database app' }] })
  }
  const template = find(input.templateName)
  if (!template) throw fieldError('template_unknown', 'templateName', 'there is no such template; GET /api/templates lists them')
  return template
}

function portOf(type: AppType, given: number | null | undefined, template: DatabaseTemplate | undefined): number | null {
  if (template) return template.port
  if (given !== undefined) return given
  return kindOf({ type }).defaultPort
}

export function newAppRow(input: NewApplication, options: Options): Insertable<AppTable> {
  const type = input.appType ?? DEFAULT_APP_TYPE
  refuseLongBuildArgs(input.buildArgs ?? {})
  refuseReplicas({ type }, input.replicas)
  refusePlacement({ type }, input.placement)
  const volumes = volumesFrom(input.volumes ?? [], { app_type: type })
  const processes = processesFrom(input.processes ?? [], { app_type: type })
  refuseSeveralWriters({ replicas: input.replicas ?? 1, processes, volumes })
  return {
    project_id: input.projectId,
    name: input.name,
    slug: options.slug,
    description: input.description ?? '',
    app_type: type,
    port: portOf(type, input.port, options.template),
    status: input.status ?? 'stopped',
    status_reason: '',
    wanted: 'running',
    created_by: options.createdBy,
    git_repository: input.gitRepository ?? '',
    git_branch: input.gitBranch ?? '',
    git_provider_id: input.gitProviderId ?? null,
    git_clone_url: input.gitCloneUrl ?? '',
    auto_deploy: input.autoDeploy === false ? 0 : 1,
    watch_paths: JSON.stringify(input.watchPaths ?? []),
    poll_source: bitOf(input.pollSource),
    source_set_by: options.createdBy,
    root_directory: input.rootDirectory ?? '',
    dockerfile_path: input.dockerfilePath === '' ? null : (input.dockerfilePath ?? null),
    healthcheck_path: input.healthcheckPath ?? '',
    deployment_strategy: input.deploymentStrategy ?? (kindOf({ type }).keepsData ? 'recreate' : 'rolling'),
    restart_policy: input.restartPolicy ?? 'unless-stopped',
    cpu_limit: input.cpuLimit ?? null,
    memory_limit: input.memoryLimit ?? null,
    replicas: input.replicas ?? 1,
    placement: input.placement ?? '',
    processes: JSON.stringify(processes),
    template_name: options.template?.name ?? '',
    volumes: JSON.stringify(volumes),
    builder: input.builder ?? 'auto',
    image: input.image ?? '',
    install_command: input.installCommand ?? '',
    build_command: input.buildCommand ?? '',
    start_command: input.startCommand ?? '',
    output_directory: input.outputDirectory ?? '',
    release_command: input.releaseCommand ?? '',
    build_args: JSON.stringify(input.buildArgs ?? {}),
    build_target: input.buildTarget ?? '',
    submodules: input.submodules === true ? 1 : 0,
    lfs: input.lfs === true ? 1 : 0,
    created_at: options.at,
    updated_at: options.at,
  }
}

export function refuseLongBuildArgs(buildArgs: Readonly<Record<string, string>>): void {
  const problem = buildArgsProblem(buildArgs)
  if (problem !== undefined) throw fieldError('invalid_request', 'buildArgs', problem)
}

/** A database has its data for itself, and a compose file says itself how often each of its services runs. */
export function refuseReplicas(app: Parameters<typeof kindOf>[0], replicas: number | undefined): void {
  if (replicas === undefined || replicas === 1 || kindOf(app).mayHaveReplicas) return
  throw fieldError('invalid_request', 'replicas', 'must be 1: only web apps and services can have more than one')
}

/** The data of a database is on one server, and what a compose file mounts on the one that Berth runs on. */
export function refusePlacement(app: Parameters<typeof kindOf>[0], placement: string | undefined): void {
  const { runsOn } = kindOf(app)
  if (placement === undefined || placement === '' || placement === 'this' || runsOn === 'any') return
  if (runsOn === 'this')
    throw fieldError('invalid_request', 'placement', 'must be empty: compose apps run on the server that Berth runs on')
  if (placement.startsWith('label:'))
    throw fieldError('invalid_request', 'placement', 'must be one server, as server: and its id: a database has its data there')
}

function bitOf(flag: boolean | null | undefined): 0 | 1 | null {
  return flag === null || flag === undefined ? null : flag ? 1 : 0
}
