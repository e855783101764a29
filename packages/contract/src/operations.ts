import Type from 'typebox'
import {
  Application,
  ApplicationChange,
  ApplicationDeletion,
  AppOnly,
  Connection,
  NewApplication,
  SourceCheck,
  SourceCheckRequest,
  SourceFiles,
  SourceFilesRequest,
  Transfer,
} from './applications.ts'
import { AuditEntry, AuditQuery } from './audit.ts'
import { ContainerLogs, ContainerMessage, ContainerStatus, ContainerUsage, LogsQuery } from './containers.ts'
import { Deployment, DeploymentOnly, QueuedDeployment, SuggestionChoice } from './deployments.ts'
import { CertificateUpload, Domain, DomainChange, DomainOnly, NewDomain } from './domains.ts'
import { EnvChanges, EnvVariable, EnvVariableChange, EnvVariablesReplacement, NewEnvVariable } from './env-variables.ts'
import { Id } from './fields.ts'
import { Branch, BranchesRequest, Delivery, Repository, ReposRequest } from './git.ts'
import { Health } from './health.ts'
import { MetricsHistory, Traffic } from './metrics.ts'
import { operation } from './operation.ts'
import { PublishedPort } from './ports.ts'
import {
  MembersChange,
  NewProject,
  Project,
  ProjectChange,
  ProjectDeletion,
  ProjectDetails,
  ProjectVariable,
  ProjectVariablesReplacement,
} from './projects.ts'
import { Settings, SettingsChange } from './settings.ts'
import { Template } from './templates.ts'
import { Cleared, UpdateCheck, UpdateStatus, Version } from './updates.ts'
import { Credentials, NewUser, PasswordChange, SetupRequest, SignedIn, User, UserChange } from './users.ts'

const Deleted = Type.Object({ id: Id })
const ById = Type.Object({ id: Id })
const Nothing = Type.Object({})

/** The whole HTTP API. The server implements every line; the dashboard, the CLI and the tests call them by name. */
// biome-ignore format: one line of words and one of facts for each operation, so that the table can be read as one
export const operations = {
  health: operation({
    summary: 'Whether the parts of Berth work',
    method: 'GET', path: '/health', may: 'anyone', answer: Health, shape: 'bare',
  }),

  'auth.setup': operation({
    summary: 'Make the first owner with the one-time link, and log in',
    method: 'POST', path: '/api/setup', may: 'anyone', body: SetupRequest, answer: SignedIn,
  }),
  'auth.login': operation({
    summary: 'Log in; sets the session cookie',
    method: 'POST', path: '/api/auth/login', may: 'anyone', body: Credentials, answer: SignedIn,
  }),
  'auth.logout': operation({
    summary: 'End this session',
    method: 'POST', path: '/api/auth/logout', may: 'signed in', answer: Nothing,
  }),
  'auth.me': operation({
    summary: 'Who is logged in',
    method: 'GET', path: '/api/auth/me', may: 'signed in', answer: User,
  }),
  'auth.password': operation({
    summary: "Change one's own password; the other sessions end",
    method: 'POST', path: '/api/auth/password', may: 'signed in', body: PasswordChange, answer: Nothing,
  }),

  'users.list': operation({
    summary: 'All users',
    method: 'POST', path: '/api/users/get', may: 'admin', answer: Type.Array(User),
  }),
  'users.create': operation({
    summary: 'Add a user',
    method: 'POST', path: '/api/users/create', may: 'admin', body: NewUser, answer: User,
  }),
  'users.update': operation({
    summary: 'Change a user; a new role or password ends their sessions',
    method: 'PUT', path: '/api/users/update', may: 'admin', body: UserChange, answer: User,
  }),
  'users.delete': operation({
    summary: 'Remove a user; what they own passes to the caller',
    method: 'DELETE', path: '/api/users/delete', may: 'admin', body: ById, answer: Deleted,
  }),

  'projects.list': operation({
    summary: 'The projects that the caller can see',
    method: 'GET', path: '/api/projects', may: 'signed in', answer: Type.Array(Project),
  }),
  'projects.create': operation({
    summary: 'Make a project',
    method: 'POST', path: '/api/projects/create', may: 'signed in', body: NewProject, answer: Project,
  }),
  'projects.get': operation({
    summary: 'One project with its applications and members',
    method: 'GET', path: '/api/projects/:id', may: 'member of the project', params: ById, answer: ProjectDetails,
  }),
  'projects.update': operation({
    summary: 'Change a project',
    method: 'PUT', path: '/api/projects/update', may: 'owner of the project', body: ProjectChange, answer: Project,
  }),
  'projects.members': operation({
    summary: 'Set who is a member, naming new people by e-mail; the owner always stays one',
    method: 'PUT', path: '/api/projects/members', may: 'owner of the project', body: MembersChange, answer: ProjectDetails,
  }),
  'projects.delete': operation({
    summary: 'Delete a project with everything in it; volumes only when asked',
    method: 'DELETE', path: '/api/projects/delete', may: 'owner of the project', body: ProjectDeletion, answer: Deleted,
  }),

  'apps.create': operation({
    summary: 'Make an application',
    method: 'POST', path: '/api/apps/create', may: 'member of the project', body: NewApplication, answer: Application, message: 'Application created successfully',
  }),
  'apps.list': operation({
    summary: 'The applications of a project',
    method: 'POST', path: '/api/apps/get', may: 'member of the project', body: Type.Object({ projectId: Id }), answer: Type.Array(Application), message: 'Applications retrieved successfully',
  }),
  'apps.listAll': operation({
    summary: 'Every application that the caller can see',
    method: 'GET', path: '/api/apps', may: 'signed in', answer: Type.Array(Application), message: 'Applications retrieved successfully',
  }),
  'apps.get': operation({
    summary: 'One application',
    method: 'POST', path: '/api/apps/get/id', may: 'member of the app', body: AppOnly, answer: Application, message: 'Application retrieved successfully',
  }),
  'apps.update': operation({
    summary: 'Change an application; only what is given changes',
    method: 'POST', path: '/api/apps/update', may: 'owner of the app', body: ApplicationChange, answer: Application, message: 'Application updated successfully',
  }),
  'apps.delete': operation({
    summary: 'Delete an application; its volumes only when asked',
    method: 'POST', path: '/api/apps/delete', may: 'steward of the app', body: ApplicationDeletion, answer: Deleted, message: 'Application deleted successfully',
  }),
  'apps.transfer': operation({
    summary: 'Hand an application over to somebody who can see it',
    method: 'POST', path: '/api/apps/transfer', may: 'steward of the app', body: Transfer, answer: Application, message: 'Application transferred successfully',
  }),
  'apps.connection': operation({
    summary: 'How other apps of the project reach a database app',
    method: 'GET', path: '/api/apps/connection', may: 'member of the app', query: AppOnly, answer: Connection,
  }),
  'apps.traffic': operation({
    summary: 'Requests that the edge has served for an application',
    method: 'GET', path: '/api/apps/traffic', may: 'member of the app', query: AppOnly, answer: Traffic,
  }),
  'apps.checkSource': operation({
    summary: 'Whether a clone URL answers, and which branches it has',
    method: 'POST', path: '/api/apps/source/check', may: 'member of the project', body: SourceCheckRequest, answer: SourceCheck,
  }),
  'apps.checkSourceFiles': operation({
    summary: 'Whether a source has the Dockerfile or the Compose file that a deployment needs, and where else there are some',
    method: 'POST', path: '/api/apps/source/files', may: 'member of the project', body: SourceFilesRequest, answer: SourceFiles,
  }),

  'containers.start': operation({
    summary: "Start the application's container",
    method: 'POST', path: '/api/apps/container/start', may: 'member of the app', query: AppOnly, answer: ContainerMessage, message: 'Container started successfully',
  }),
  'containers.stop': operation({
    summary: "Stop the application's container",
    method: 'POST', path: '/api/apps/container/stop', may: 'member of the app', query: AppOnly, answer: ContainerMessage, message: 'Container stopped successfully',
  }),
  'containers.restart': operation({
    summary: "Restart the application's container",
    method: 'POST', path: '/api/apps/container/restart', may: 'member of the app', query: AppOnly, answer: ContainerMessage, message: 'Container restarted successfully',
  }),
  'containers.status': operation({
    summary: "The state of the application's container",
    method: 'GET', path: '/api/apps/container/status', may: 'member of the app', query: AppOnly, answer: ContainerStatus, message: 'Container status retrieved successfully',
  }),
  'containers.logs': operation({
    summary: 'The last lines that the container printed',
    method: 'GET', path: '/api/apps/container/logs', may: 'member of the app', query: LogsQuery, answer: ContainerLogs, message: 'Container logs retrieved successfully',
  }),
  'containers.usage': operation({
    summary: 'Processor and memory that the container uses now',
    method: 'GET', path: '/api/apps/container/usage', may: 'member of the app', query: AppOnly, answer: ContainerUsage, message: 'Container usage retrieved successfully',
  }),

  'envs.create': operation({
    summary: 'Add an environment variable',
    method: 'POST', path: '/api/apps/envs/create', may: 'member of the app', body: NewEnvVariable, answer: EnvVariable,
  }),
  'envs.list': operation({
    summary: 'The environment variables of an application',
    method: 'POST', path: '/api/apps/envs/get', may: 'member of the app', body: AppOnly, answer: Type.Array(EnvVariable),
  }),
  'envs.changes': operation({
    summary: 'The variables that were added, changed or removed since the live release, by name',
    method: 'GET', path: '/api/apps/envs/changes', may: 'member of the app', query: AppOnly, answer: EnvChanges,
  }),
  'envs.replace': operation({
    summary: 'Set all environment variables of an application at once',
    method: 'PUT', path: '/api/apps/envs/replace', may: 'member of the app', body: EnvVariablesReplacement, answer: Type.Array(EnvVariable),
  }),
  'envs.update': operation({
    summary: 'Change an environment variable',
    method: 'PUT', path: '/api/apps/envs/update', may: 'member of the env variable', body: EnvVariableChange, answer: EnvVariable,
  }),
  'envs.delete': operation({
    summary: 'Remove an environment variable',
    method: 'DELETE', path: '/api/apps/envs/delete', may: 'member of the env variable', body: ById, answer: Deleted,
  }),

  'projectEnvs.list': operation({
    summary: 'The variables of a project, which its apps can refer to',
    method: 'GET', path: '/api/projects/envs', may: 'member of the project', query: Type.Object({ projectId: Id }), answer: Type.Array(ProjectVariable),
  }),
  'projectEnvs.replace': operation({
    summary: 'Set all variables of a project at once',
    method: 'PUT', path: '/api/projects/envs/replace', may: 'member of the project', body: ProjectVariablesReplacement, answer: Type.Array(ProjectVariable),
  }),

  'domains.create': operation({
    summary: 'Give an application a host name',
    method: 'POST', path: '/api/apps/domains/create', may: 'member of the app', body: NewDomain, answer: Domain,
  }),
  'domains.list': operation({
    summary: 'The host names of an application',
    method: 'POST', path: '/api/apps/domains/get', may: 'member of the app', body: AppOnly, answer: Type.Array(Domain),
  }),
  'domains.update': operation({
    summary: 'Whether a host redirects to https and sends HSTS',
    method: 'PUT', path: '/api/apps/domains/update', may: 'member of the domain', body: DomainChange, answer: Domain,
  }),
  'domains.check': operation({
    summary: 'Look at the DNS of a host name now, and try its certificate again',
    method: 'POST', path: '/api/apps/domains/check', may: 'member of the domain', body: DomainOnly, answer: Domain,
  }),
  'domains.setCertificate': operation({
    summary: "Use one's own certificate for a host name",
    method: 'PUT', path: '/api/apps/domains/certificate', may: 'member of the domain', body: CertificateUpload, answer: Domain,
  }),
  'domains.removeCertificate': operation({
    summary: "Remove one's own certificate again",
    method: 'DELETE', path: '/api/apps/domains/certificate', may: 'member of the domain', body: DomainOnly, answer: Domain,
  }),
  'domains.delete': operation({
    summary: 'Take a host name away',
    method: 'DELETE', path: '/api/apps/domains/delete', may: 'member of the domain', body: DomainOnly, answer: Deleted,
  }),

  'deployments.add': operation({
    summary: 'Deploy the newest commit, or the template',
    method: 'POST', path: '/api/deployment/add', may: 'member of the app', body: AppOnly, answer: QueuedDeployment, shape: 'bare',
  }),
  'deployments.listByApp': operation({
    summary: 'Every deployment of an application, newest first',
    method: 'POST', path: '/api/deployment/getByAppId', may: 'member of the app', body: AppOnly, answer: Type.Array(Deployment), message: 'Deployments retrieved successfully',
  }),
  'deployments.log': operation({
    summary: 'The build log, so far or whole',
    method: 'GET', path: '/api/deployment/logs/:deploymentId', may: 'member of the deployment', params: DeploymentOnly, shape: 'text',
  }),
  'deployments.create': operation({
    summary: 'Deploy; as deployment/add, in the envelope',
    method: 'POST', path: '/api/deployments/create', may: 'member of the app', body: AppOnly, answer: Deployment,
  }),
  'deployments.list': operation({
    summary: 'Every deployment of an application, newest first',
    method: 'POST', path: '/api/deployments/get', may: 'member of the app', body: AppOnly, answer: Type.Array(Deployment), message: 'Deployments retrieved successfully',
  }),
  'deployments.get': operation({
    summary: 'One deployment',
    method: 'GET', path: '/api/deployments/:id', may: 'member of the deployment', params: ById, answer: Deployment,
  }),
  'deployments.running': operation({
    summary: 'The deployments that wait or run now, of every app that the caller can see',
    method: 'GET', path: '/api/deployment/running', may: 'signed in', answer: Type.Array(Deployment),
  }),
  'deployments.stop': operation({
    summary: 'Cancel a deployment',
    method: 'POST', path: '/api/deployment/stop', may: 'member of the deployment', body: DeploymentOnly, answer: Deployment,
  }),
  'deployments.rollback': operation({
    summary: 'Make an earlier release live again',
    method: 'POST', path: '/api/deployment/rollback', may: 'member of the deployment', body: DeploymentOnly, answer: Deployment,
  }),
  'deployments.applySuggestion': operation({
    summary: 'Make the change that a failed deployment suggests, and deploy',
    method: 'POST', path: '/api/deployments/suggestions/apply', may: 'member of the deployment', body: SuggestionChoice, answer: Deployment,
  }),

  'metrics.history': operation({
    summary: 'The load of the server in the last hour',
    method: 'GET', path: '/api/metrics/history', may: 'signed in', answer: MetricsHistory,
  }),
  'templates.list': operation({
    summary: 'The database templates',
    method: 'GET', path: '/api/templates', may: 'signed in', answer: Type.Array(Template),
  }),
  'settings.get': operation({
    summary: 'The settings of the platform',
    method: 'GET', path: '/api/settings', may: 'admin', answer: Settings,
  }),
  'settings.update': operation({
    summary: 'Change settings; only what is given changes',
    method: 'PUT', path: '/api/settings', may: 'admin', body: SettingsChange, answer: Settings,
  }),
  'ports.list': operation({
    summary: 'Ports of the machine that apps publish, and whose they are',
    method: 'GET', path: '/api/ports', may: 'admin', answer: Type.Array(PublishedPort),
  }),
  'audit.list': operation({
    summary: 'Who changed what, newest first',
    method: 'GET', path: '/api/audit', may: 'admin', query: AuditQuery, answer: Type.Array(AuditEntry),
  }),

  'git.repos': operation({
    summary: 'Repositories of a connected git provider',
    method: 'POST', path: '/api/git/repos', may: 'signed in', body: ReposRequest, answer: Type.Array(Repository),
  }),
  'git.branches': operation({
    summary: 'Branches of a repository of a connected git provider',
    method: 'POST', path: '/api/git/branches', may: 'signed in', body: BranchesRequest, answer: Type.Array(Branch),
  }),
  'webhooks.git': operation({
    summary: 'Deliveries of a git provider',
    method: 'POST', path: '/api/webhooks/git', may: 'signed webhook', answer: Delivery, bodyLimit: 25 * 1024 * 1024,
  }),

  'updates.version': operation({
    summary: 'The version that runs',
    method: 'GET', path: '/api/updates/version', may: 'signed in', answer: Version,
  }),
  'updates.check': operation({
    summary: 'Whether there is a newer version',
    method: 'GET', path: '/api/updates/check', may: 'signed in', answer: UpdateCheck,
  }),
  'updates.apply': operation({
    summary: 'Apply the newest version',
    method: 'POST', path: '/api/updates/apply', may: 'owner', answer: UpdateStatus,
  }),
  'updates.status': operation({
    summary: 'The state of an update',
    method: 'GET', path: '/api/updates/status', may: 'owner', answer: UpdateStatus,
  }),
  'updates.clear': operation({
    summary: 'Clear a stuck update',
    method: 'POST', path: '/api/updates/clear', may: 'owner', answer: Cleared,
  }),
} as const

export type Operations = typeof operations
export type OperationName = keyof Operations
