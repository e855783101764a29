import type { ErrorCode } from './errors.ts'
import type { Operation, Policy } from './operation.ts'
import { type OperationName, operations } from './operations.ts'

/** The errors of an operation besides those of its policy and its input. */
const OWN = {
  'auth.setup': ['wrong_setup_token', 'already_set_up', 'too_many_logins'],
  'auth.login': ['wrong_credentials', 'too_many_logins'],
  'auth.password': ['not_allowed', 'too_many_logins'],
  'users.create': ['role_too_high', 'email_taken', 'too_many_logins'],
  'users.update': ['role_too_high', 'user_not_found', 'email_taken', 'last_owner', 'too_many_logins'],
  'users.delete': ['role_too_high', 'user_not_found', 'last_owner'],
  'auth.join': ['wrong_invitation', 'email_taken', 'too_many_logins'],
  'auth.endSession': ['session_not_found'],
  'invitations.create': ['role_too_high', 'email_taken'],
  'invitations.delete': ['role_too_high', 'invitation_not_found'],
  'projects.members': ['user_not_found'],
  'apps.create': [
    'invalid_source',
    'template_required',
    'template_unknown',
    'git_not_connected',
    'git_account_refused',
    'repository_not_found',
    'app_name_taken',
  ],
  'apps.update': ['invalid_source', 'git_not_connected', 'git_account_refused', 'repository_not_found', 'app_name_taken'],
  'apps.transfer': ['user_not_found'],
  'apps.checkSource': ['invalid_source', 'git_not_connected', 'git_account_refused'],
  'apps.checkSourceFiles': ['invalid_source', 'git_not_connected', 'git_account_refused'],
  'containers.start': ['no_container', 'deployment_under_way'],
  'containers.stop': ['no_container', 'deployment_under_way'],
  'containers.restart': ['no_container', 'deployment_under_way'],
  'containers.logs': ['container_not_found'],
  'containers.logPage': ['container_not_found'],
  'containers.logSearch': ['container_not_found'],
  'containers.logFile': ['container_not_found'],
  'stacks.plan': ['invalid_source', 'git_not_connected', 'too_many_source_checks'],
  'stacks.planNew': ['invalid_source', 'git_not_connected', 'too_many_source_checks'],
  'stacks.setFile': ['too_many_source_checks'],
  'stacks.startService': ['no_container', 'deployment_under_way'],
  'stacks.stopService': ['no_container', 'deployment_under_way'],
  'stacks.restartService': ['no_container', 'deployment_under_way'],
  'envs.create': ['env_key_taken'],
  'envs.update': ['env_key_taken'],
  'volumes.delete': ['volume_not_found', 'volume_in_use'],
  'files.read': ['file_not_found'],
  'files.delete': ['file_not_found'],
  'domains.create': ['invalid_domain', 'domain_reserved', 'domain_taken'],
  'domains.setCertificate': ['invalid_certificate'],
  'backups.create': ['backup_failed'],
  'backups.verify': ['backup_not_found', 'backup_damaged'],
  'backups.download': ['backup_not_found'],
  'backups.delete': ['backup_not_found'],
  'deployments.stop': ['deployment_ended'],
  'deployments.rollback': ['no_release'],
  'deployments.applySuggestion': ['not_app_owner', 'not_found'],
  'deployments.plan': ['not_found'],
  'settings.update': ['invalid_domain', 'domain_taken'],
  'git.createAccount': ['invalid_source', 'project_not_found', 'git_account_refused'],
  'git.githubManifest': ['project_not_found'],
  'git.connectGitHubApp': ['project_not_found', 'git_account_refused'],
  'git.checkAccount': ['git_account_refused'],
  'git.deleteAccount': ['account_in_use'],
  'git.repos': ['git_account_refused'],
  'git.branches': ['git_account_refused', 'repository_not_found'],
  'deployments.addByHook': ['invalid_source', 'not_allowed'],
  'registries.create': ['project_not_found', 'registry_refused'],
  'registries.check': ['registry_refused'],
  'apps.lookAtImage': ['invalid_source'],
  'apps.checkImage': ['invalid_source', 'registry_refused'],
  'updates.apply': ['no_update', 'update_running', 'update_not_possible'],
} as const satisfies Partial<Record<OperationName, readonly ErrorCode[]>>

const OF_POLICY = {
  anyone: [],
  'signed webhook': ['webhook_not_verified'],
  'deploy hook': ['webhook_not_verified'],
  'signed in': ['not_signed_in'],
  admin: ['not_signed_in', 'not_allowed'],
  owner: ['not_signed_in', 'not_allowed'],
  'member of the project': ['not_signed_in', 'project_not_found'],
  'owner of the project': ['not_signed_in', 'not_allowed', 'project_not_found'],
  'member of the app': ['not_signed_in', 'app_not_found'],
  'owner of the app': ['not_signed_in', 'not_app_owner', 'app_not_found'],
  'steward of the app': ['not_signed_in', 'not_allowed', 'app_not_found'],
  'member of the env variable': ['not_signed_in', 'env_variable_not_found'],
  'member of the domain': ['not_signed_in', 'domain_not_found'],
  'member of the deployment': ['not_signed_in', 'deployment_not_found'],
  'member of the container': ['not_signed_in', 'container_not_found'],
  'user of the git account': ['not_signed_in', 'not_allowed', 'git_not_connected'],
  'user of the registry': ['not_signed_in', 'not_allowed', 'registry_not_found'],
  'owner of the registry': ['not_signed_in', 'not_allowed', 'registry_not_found'],
  'reader of deliveries': ['not_signed_in', 'not_allowed', 'app_not_found', 'git_not_connected'],
  'member of the delivery': ['not_signed_in', 'delivery_not_found'],
  'owner of the git account': ['not_signed_in', 'not_allowed', 'git_not_connected'],
} as const satisfies Record<Policy, readonly ErrorCode[]>

const OF_CHANGES = ['invalid_json', 'body_too_slow', 'body_too_large', 'not_json', 'foreign_origin'] as const

/** Every 4xx code that an operation can answer. */
export function errorsOf(name: OperationName): readonly ErrorCode[] {
  const line: Operation = operations[name]
  const own: Partial<Record<OperationName, readonly ErrorCode[]>> = OWN
  return [
    ...new Set<ErrorCode>(['invalid_request', ...(line.method === 'GET' ? [] : OF_CHANGES), ...OF_POLICY[line.may], ...(own[name] ?? [])]),
  ]
}
