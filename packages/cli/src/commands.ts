import type { Command } from './command.ts'
import { apps } from './commands/apps.ts'
import { deploy } from './commands/deploy.ts'
import { deployments } from './commands/deployments.ts'
import { domains } from './commands/domains.ts'
import { env } from './commands/env.ts'
import { health } from './commands/health.ts'
import { login } from './commands/login.ts'
import { logout } from './commands/logout.ts'
import { logs } from './commands/logs.ts'
import { projects } from './commands/projects.ts'
import { restart } from './commands/restart.ts'
import { rollback } from './commands/rollback.ts'
import { start } from './commands/start.ts'
import { status } from './commands/status.ts'
import { stop } from './commands/stop.ts'
import { whoami } from './commands/whoami.ts'

/** Every verb, in the order of the help. */
export const commands = {
  login,
  logout,
  whoami,
  projects,
  apps,
  deploy,
  deployments,
  rollback,
  logs,
  status,
  start,
  stop,
  restart,
  env,
  domains,
  health,
} as const satisfies Record<string, Command>
