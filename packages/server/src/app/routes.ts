import { createLastEventSeq } from '../events/event-log.ts'
import type { AppDeletion } from '../features/apps/deletion.ts'
import type { PlanBuild } from '../features/apps/plan-build.ts'
import type { AppReading } from '../features/apps/reading.ts'
import { applicationHandlers } from '../features/apps/routes.ts'
import type { Applications } from '../features/apps/service.ts'
import { auditHandlers } from '../features/audit/routes.ts'
import { authHandlers } from '../features/auth/routes.ts'
import type { Auth } from '../features/auth/service.ts'
import type { Sessions } from '../features/auth/sessions.ts'
import { backupHandlers } from '../features/backups/routes.ts'
import type { BackupKeeper } from '../features/backups/service.ts'
import { containerHandlers } from '../features/containers/routes.ts'
import type { Containers } from '../features/containers/service.ts'
import type { DeployByHook } from '../features/deploy-hook/deploy.ts'
import { deployHookHandlers } from '../features/deploy-hook/routes.ts'
import type { DeployHooks } from '../features/deploy-hook/service.ts'
import { deployKeyHandlers } from '../features/deploy-keys/routes.ts'
import type { DeployKeys } from '../features/deploy-keys/service.ts'
import type { Suggestions } from '../features/deployments/failure/apply-suggestions.ts'
import type { CompareDeployments } from '../features/deployments/history/compare.ts'
import { deploymentHandlers } from '../features/deployments/routes.ts'
import type { Deployments } from '../features/deployments/service.ts'
import { diskHandlers } from '../features/disk/routes.ts'
import type { DiskRoom } from '../features/disk/service.ts'
import { domainHandlers } from '../features/domains/routes.ts'
import type { Domains } from '../features/domains/service.ts'
import type { ChangesSince } from '../features/env-variables/changes-since.ts'
import type { ProjectVariables } from '../features/env-variables/project-variables.ts'
import { envVariableHandlers } from '../features/env-variables/routes.ts'
import type { EnvVariables } from '../features/env-variables/service.ts'
import { figureHandlers } from '../features/figures/routes.ts'
import type { FiguresKeeper } from '../features/figures/service.ts'
import type { GitAccounts } from '../features/git-providers/accounts.ts'
import type { GitHubConnect } from '../features/git-providers/github/github-apps.ts'
import type { Repositories } from '../features/git-providers/repositories.ts'
import { gitHandlers } from '../features/git-providers/routes.ts'
import type { Doctor } from '../features/health/doctor.ts'
import { type HealthSources, healthHandlers } from '../features/health/routes.ts'
import type { MetricsHistoryKeeper } from '../features/metrics/history.ts'
import { metricsHandlers } from '../features/metrics/routes.ts'
import { moveHandlers } from '../features/moves/routes.ts'
import type { Moves } from '../features/moves/service.ts'
import { nodeHandlers } from '../features/nodes/routes.ts'
import type { Nodes } from '../features/nodes/service.ts'
import { overviewHandlers } from '../features/overview/routes.ts'
import { portHandlers } from '../features/ports/routes.ts'
import type { Ports } from '../features/ports/service.ts'
import type { PortSwitches } from '../features/ports/switches.ts'
import { projectHandlers } from '../features/projects/routes.ts'
import type { Projects } from '../features/projects/service.ts'
import type { ImageChecks } from '../features/registries/image-checks.ts'
import { registryHandlers } from '../features/registries/routes.ts'
import type { Registries } from '../features/registries/service.ts'
import { serverHandlers } from '../features/servers/routes.ts'
import type { ServersPart } from '../features/servers/service.ts'
import { settingsHandlers } from '../features/settings/routes.ts'
import type { SettingsService } from '../features/settings/service.ts'
import type { ComposeFiles } from '../features/stacks/compose-file.ts'
import type { PlanStack } from '../features/stacks/plan-stack.ts'
import { type Stacks, stackHandlers } from '../features/stacks/routes.ts'
import type { Files } from '../features/storage/files.ts'
import { storageHandlers } from '../features/storage/routes.ts'
import type { VolumeDeletion } from '../features/storage/volumes.ts'
import { templateHandlers } from '../features/templates/routes.ts'
import { type TrafficSource, trafficHandlers } from '../features/traffic/routes.ts'
import { updateHandlers } from '../features/updates/routes.ts'
import type { Updates } from '../features/updates/service.ts'
import type { Invitations } from '../features/users/invitations.ts'
import { userHandlers } from '../features/users/routes.ts'
import type { Users } from '../features/users/service.ts'
import type { Hooks } from '../features/webhooks/hooks.ts'
import type { Inbox } from '../features/webhooks/inbox.ts'
import type { Receive } from '../features/webhooks/receive.ts'
import { webhookHandlers } from '../features/webhooks/routes.ts'
import type { Handlers } from '../http/implement.ts'
import type { Db } from '../store/database.ts'

export type Parts = {
  db: Db
  auth: Auth
  sessions: Sessions
  invitations: Invitations
  users: Users
  projects: Projects
  applications: Applications
  appReading: AppReading
  appDeletion: AppDeletion
  envVariables: EnvVariables
  projectVariables: ProjectVariables
  changesSince: ChangesSince
  domains: Domains
  ports: Ports
  deployments: Deployments
  suggestions: Suggestions
  compareDeployments: CompareDeployments
  disk: DiskRoom
  files: Files
  deleteVolume: VolumeDeletion
  moves: Moves
  gitAccounts: GitAccounts
  repositories: Repositories
  gitHubConnect: GitHubConnect
  receive: Receive
  inbox: Inbox
  hooks: Hooks
  registries: Registries
  imageChecks: ImageChecks
  deployHooks: DeployHooks
  deployKeys: DeployKeys
  deployByHook: DeployByHook
  containers: Containers
  stacks: Stacks
  portSwitches: PortSwitches
  planBuild: PlanBuild
  planStack: PlanStack
  composeFiles: ComposeFiles
  settings: SettingsService
  traffic: TrafficSource
  metricsHistory: MetricsHistoryKeeper
  figures: FiguresKeeper
  backups: BackupKeeper
  health: HealthSources
  doctor: Doctor
  running: { version: string; commit: string; startedAt: string }
  updates: Updates
  servers: ServersPart
  nodes: Nodes
}

/** Every operation of the contract, and the feature that answers it. A missing one does not compile. */
export function handlersOf(parts: Parts): Handlers {
  const health = healthHandlers(parts.health)
  const lastEventSeq = createLastEventSeq(parts.db)
  return {
    ...health,
    'doctor.run': async () => await parts.doctor(),
    ...authHandlers({ ...parts, lastEventSeq }),
    ...userHandlers(parts),
    ...projectHandlers(parts.projects),
    ...applicationHandlers({
      applications: parts.applications,
      reading: parts.appReading,
      deletion: parts.appDeletion,
      planBuild: parts.planBuild,
    }),
    ...envVariableHandlers({ envs: parts.envVariables, ofProject: parts.projectVariables, changesSince: parts.changesSince }),
    ...domainHandlers(parts.domains),
    ...deploymentHandlers(parts),
    ...overviewHandlers({ deployments: parts.deployments, domains: parts.domains, health: health.health }),
    ...diskHandlers(parts.disk),
    ...storageHandlers(parts),
    ...moveHandlers(parts.moves),
    ...containerHandlers(parts.containers),
    ...stackHandlers(parts),
    ...trafficHandlers(parts.traffic),
    ...metricsHandlers(parts.metricsHistory),
    ...figureHandlers(parts.figures),
    ...templateHandlers(),
    ...settingsHandlers(parts.settings),
    ...portHandlers(parts.ports),
    ...auditHandlers(parts.db),
    ...gitHandlers(parts),
    ...registryHandlers(parts),
    ...webhookHandlers(parts),
    ...deployHookHandlers(parts),
    ...deployKeyHandlers(parts.deployKeys),
    ...backupHandlers(parts.backups),
    ...serverHandlers(parts.servers),
    ...nodeHandlers(parts.nodes),
    ...updateHandlers(parts.running, parts.updates),
  }
}
