import { appFiles } from './commands/app-files.ts'
import { apps } from './commands/apps.ts'
import { backups } from './commands/backups.ts'
import { buildPlan } from './commands/build-plan.ts'
import { containers } from './commands/containers.ts'
import { databases } from './commands/databases.ts'
import { deliveries } from './commands/deliveries.ts'
import { cancel, compare, deploy, list as deployments, fix, rollback, running } from './commands/deployments.ts'
import { domains } from './commands/domains.ts'
import { env } from './commands/env.ts'
import { git } from './commands/git.ts'
import { logs } from './commands/logs.ts'
import { members } from './commands/members.ts'
import { open } from './commands/open.ts'
import { plan } from './commands/plan.ts'
import { servicePorts } from './commands/ports.ts'
import { projects } from './commands/projects.ts'
import { registries } from './commands/registries.ts'
import { server } from './commands/server.ts'
import { servers } from './commands/servers.ts'
import { endSession, login, logout, password, sessions, setup, whoami } from './commands/session.ts'
import { checkSource } from './commands/source.ts'
import { sourceAccess } from './commands/source-access.ts'
import { stacks } from './commands/stacks.ts'
import { updates } from './commands/updates.ts'
import { users } from './commands/users.ts'
import { variables } from './commands/variables.ts'
import { volumes } from './commands/volumes.ts'
import type { Topics } from './help.ts'

/** Every command, by topic, in the order of the help. */
export const topics = {
  Account: [login, logout, whoami, password, sessions, endSession, setup],
  Projects: [...projects, ...members],
  Apps: [...apps, checkSource, open, ...containers, logs, ...stacks, ...servicePorts, plan],
  Deployments: [deploy, buildPlan, deployments, running, compare, cancel, fix, rollback],
  Environment: [...env, ...variables],
  Storage: [...volumes, ...appFiles],
  Git: [...git, ...deliveries, ...sourceAccess],
  Images: registries,
  Domains: domains,
  Databases: databases,
  Server: [...server, ...servers, ...users, ...backups, ...updates],
} as const satisfies Topics
