import { IsSchema, type TSchema } from 'typebox'
import * as applications from './applications.ts'
import * as audit from './audit.ts'
import * as backups from './backups.ts'
import * as buildPlan from './build-plan.ts'
import * as containers from './containers.ts'
import * as deployments from './deployments.ts'
import * as disk from './disk.ts'
import * as doctor from './doctor.ts'
import * as domains from './domains.ts'
import * as envVariables from './env-variables.ts'
import * as git from './git.ts'
import * as health from './health.ts'
import * as ids from './ids.ts'
import * as metrics from './metrics.ts'
import * as nodes from './nodes.ts'
import * as overview from './overview.ts'
import * as ports from './ports.ts'
import * as projects from './projects.ts'
import * as registries from './registries.ts'
import * as servers from './servers.ts'
import * as sessions from './sessions.ts'
import * as settings from './settings.ts'
import * as sourceAccess from './source-access.ts'
import * as stacks from './stacks.ts'
import * as storage from './storage.ts'
import * as templates from './templates.ts'
import * as updates from './updates.ts'
import * as users from './users.ts'

const FILES = [
  applications,
  audit,
  buildPlan,
  backups,
  containers,
  deployments,
  disk,
  doctor,
  domains,
  envVariables,
  git,
  health,
  ids,
  metrics,
  nodes,
  overview,
  ports,
  projects,
  registries,
  servers,
  sessions,
  settings,
  sourceAccess,
  stacks,
  storage,
  templates,
  updates,
  users,
]

/** The named types of the API: every schema exported by these files, under its export name. */
export function namedSchemas(): ReadonlyMap<TSchema, string> {
  const named = new Map<TSchema, string>()
  for (const file of FILES) for (const [name, value] of Object.entries<unknown>(file)) if (IsSchema(value)) named.set(value, name)
  return named
}
