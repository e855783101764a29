import { appOperations } from './operations/apps.ts'
import { backupOperations } from './operations/backups.ts'
import { buildOperations } from './operations/builds.ts'
import { containerOperations } from './operations/containers.ts'
import { deploymentOperations } from './operations/deployments.ts'
import { domainOperations } from './operations/domains.ts'
import { envVariableOperations } from './operations/env-variables.ts'
import { gitOperations } from './operations/git.ts'
import { peopleOperations } from './operations/people.ts'
import { platformOperations } from './operations/platform.ts'
import { projectOperations } from './operations/projects.ts'
import { registryOperations } from './operations/registries.ts'
import { serverOperations } from './operations/servers.ts'
import { sourceAccessOperations } from './operations/source-access.ts'
import { stackOperations } from './operations/stacks.ts'
import { storageOperations } from './operations/storage.ts'
import { updateOperations } from './operations/updates.ts'

/** The whole HTTP API, by topic. The server implements every line; the dashboard, the CLI and the tests call them by name. */
export const operations = {
  ...peopleOperations,
  ...projectOperations,
  ...appOperations,
  ...containerOperations,
  ...stackOperations,
  ...envVariableOperations,
  ...storageOperations,
  ...domainOperations,
  ...deploymentOperations,
  ...buildOperations,
  ...gitOperations,
  ...sourceAccessOperations,
  ...registryOperations,
  ...platformOperations,
  ...serverOperations,
  ...backupOperations,
  ...updateOperations,
} as const

export type Operations = typeof operations
export type OperationName = keyof Operations
