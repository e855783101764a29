export * from './applications.ts'
export * from './audit.ts'
export type { Backup, Backups, VerifiedBackup } from './backups.ts'
export * from './build-plan.ts'
export * from './client.ts'
export * from './containers.ts'
export * from './deployments.ts'
export * from './disk.ts'
export type { Finding } from './doctor.ts'
export * from './domains.ts'
export * from './dotenv.ts'
export * from './env-variables.ts'
export * from './errors.ts'
export * from './events.ts'
export {
  type AppWebhook,
  type Branch,
  type ConnectedGitHubApp,
  type DeliveryDetails,
  type DeliverySummary,
  type ExistingGitHubApp,
  GIT_PROVIDERS,
  GITHUB_OUTCOMES,
  type GitAccount,
  type GitHubManifest,
  type GitHubManifestRequest,
  type GitHubOutcome,
  type GitProvider,
  type NewGitAccount,
  REPOSITORY_NAME,
  type Repository,
} from './git.ts'
export type { Health } from './health.ts'
export type { AppGlance, Figures, FiguresRange, MetricsHistory, MetricsPoint, ServerMetrics, Traffic } from './metrics.ts'
export type { ControlPlane } from './nodes.ts'
export * from './operation.ts'
export * from './operation-errors.ts'
export * from './operations.ts'
export type { Overview } from './overview.ts'
export { type AppPort, LOOPBACK, LOWEST_HOST_PORT, MOST_OPEN_PORTS, type PublishedPort } from './ports.ts'
export { type AppProcess, isProcessName, limitsOf, limitWords, MOST_PROCESSES, MOST_REPLICAS, ProcessCommands } from './processes.ts'
export type { Member, Project, ProjectDetails, ProjectVariable } from './projects.ts'
export * from './references.ts'
export type { ImageCheck, ImageLook, NewRegistry, Registry } from './registries.ts'
export * from './schemas.ts'
export {
  AVAILABILITIES,
  type Availability,
  MOST_SERVER_LABELS,
  type Server,
  type ServerEdgeState,
  type ServerInvitation,
  type ServerOutage,
  type Servers,
} from './servers.ts'
export type { Invitation, SentInvitation, SessionInfo } from './sessions.ts'
export { AUTOMATIC_UPDATES, BACKUP_SCHEDULES, type Settings, UPDATE_CHANNELS } from './settings.ts'
export { sizeWords } from './sizes.ts'
export * from './sockets.ts'
export type { DeployHook, DeployKey, HookDeployment } from './source-access.ts'
export * from './stacks.ts'
export {
  type AppFile,
  type AppFileContent,
  type AppVolume,
  DEFAULT_FILE_MODE,
  type FileEncoding,
  type FileWriting,
  filesProblem,
  MOST_FILE_BYTES,
  MOST_FILES,
  MOST_FILES_BYTES,
  MOST_VOLUMES,
  VOLUME_NAME,
  volumesProblem,
} from './storage.ts'
export * from './stream.ts'
export type { Template } from './templates.ts'
export type { UpdateCheck, UpdateHistory, UpdateStatus, Version } from './updates.ts'
export { type Me, ROLES, Role, type SignedIn, type User } from './users.ts'
