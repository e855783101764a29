import type { ApplicationChange } from '@berth/contract'
import type { Updateable } from 'kysely'
import { kindOf } from '../../domain/app-kinds.ts'
import type { AppRow } from '../../domain/rows.ts'
import { fieldError } from '../../lib/app-error.ts'
import type { AppTable } from '../../store/schema.ts'
import { refuseLongBuildArgs, refusePlacement, refuseReplicas } from './new-app.ts'
import { processesFrom } from './processes.ts'
import { volumesFrom } from './volumes.ts'

const COLUMNS = {
  name: 'name',
  description: 'description',
  gitProviderId: 'git_provider_id',
  gitRepository: 'git_repository',
  gitBranch: 'git_branch',
  gitCloneUrl: 'git_clone_url',
  autoDeploy: 'auto_deploy',
  watchPaths: 'watch_paths',
  pollSource: 'poll_source',
  port: 'port',
  rootDirectory: 'root_directory',
  dockerfilePath: 'dockerfile_path',
  healthcheckPath: 'healthcheck_path',
  deploymentStrategy: 'deployment_strategy',
  status: 'status',
  cpuLimit: 'cpu_limit',
  memoryLimit: 'memory_limit',
  replicas: 'replicas',
  placement: 'placement',
  processes: 'processes',
  restartPolicy: 'restart_policy',
  volumes: 'volumes',
  builder: 'builder',
  image: 'image',
  installCommand: 'install_command',
  buildCommand: 'build_command',
  startCommand: 'start_command',
  outputDirectory: 'output_directory',
  releaseCommand: 'release_command',
  buildArgs: 'build_args',
  buildTarget: 'build_target',
  submodules: 'submodules',
  lfs: 'lfs',
} as const satisfies Record<Exclude<keyof ApplicationChange, 'appId' | 'buildSecrets'>, keyof AppTable>

/** Only the columns above can change, and only those that were given. */
export function changeOf(app: AppRow, input: ApplicationChange): Updateable<AppTable> {
  if (kindOf(app).madeFrom === 'template' && input.port !== undefined && input.port !== app.port)
    throw fieldError('invalid_request', 'port', 'of a database app comes from its template and cannot be changed')
  if (kindOf(app).needsPort && input.port === null)
    throw fieldError('invalid_request', 'port', 'must be a port between 1 and 65535: a web app needs one')
  refuseLongBuildArgs(input.buildArgs ?? {})
  const stored = {
    ...input,
    ...(input.volumes && { volumes: volumesFrom(input.volumes, app) }),
    ...(input.processes && { processes: processesFrom(input.processes, app) }),
  }
  refuseReplicas(app, input.replicas)
  refusePlacement(app, input.placement)
  const fields = Object.keys(COLUMNS) as (keyof typeof COLUMNS)[] // exactly the keys of the table above
  const given = fields.filter((field) => stored[field] !== undefined)
  return Object.fromEntries(given.map((field) => [COLUMNS[field], storedAs(field, stored[field])]))
}

function storedAs(field: keyof typeof COLUMNS, value: ApplicationChange[keyof typeof COLUMNS]) {
  if (field === 'dockerfilePath' && value === '') return null
  if (typeof value === 'boolean') return value ? 1 : 0
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value
}
