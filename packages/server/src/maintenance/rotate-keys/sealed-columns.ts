import { aboutRelease } from '../../domain/release-config.ts'
import { aboutFiles } from '../../domain/release-files.ts'
import { ABOUT_ACCOUNT, aboutCertificate } from '../../edge/certificates/sealed-keys.ts'
import { aboutBuildSecret } from '../../features/build-secrets/service.ts'
import { aboutKey } from '../../features/deploy-keys/service.ts'
import { aboutDeploymentFile } from '../../features/deployments/shared-files.ts'
import { aboutProjectVariable } from '../../features/env-variables/project-variables.ts'
import { aboutVariable } from '../../features/env-variables/service.ts'
import { aboutAppKey, aboutAppSecret } from '../../features/git-providers/github/app-identity.ts'
import { aboutToken } from '../../features/git-providers/host-access.ts'
import { aboutSecret } from '../../features/git-providers/save-account.ts'
import { aboutPassword } from '../../features/registries/credentials.ts'
import { ABOUT_IMAGE_KEY, ABOUT_IMAGE_PASSWORD } from '../../features/servers/image-authority.ts'
import { aboutHook } from '../../features/webhooks/senders.ts'

type Row = Readonly<Record<string, string | number | null>>
export type SealedColumn = {
  readonly table: string
  readonly column: string
  /** What the sealed text is bound to. */
  readonly about: (row: Row) => string
}

/** LIST of everything that is sealed with `secrets.key`. Rotating refuses to run if the schema has another column named `sealed_…`. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  { table: 'env_variable', column: 'sealed_value', about: (row) => aboutVariable(Number(row['app_id'])) },
  { table: 'project_variable', column: 'sealed_value', about: (row) => aboutProjectVariable(Number(row['project_id'])) },
  { table: 'build_secret', column: 'sealed_value', about: (row) => aboutBuildSecret(Number(row['app_id'])) },
  { table: 'deployment', column: 'sealed_config', about: (row) => aboutRelease(Number(row['app_id'])) },
  { table: 'app_file', column: 'sealed_content', about: (row) => aboutFiles(Number(row['app_id'])) },
  { table: 'release_files', column: 'sealed_files', about: (row) => aboutFiles(Number(row['app_id'])) },
  { table: 'git_account', column: 'sealed_token', about: (row) => aboutToken(Number(row['id'])) },
  { table: 'git_account', column: 'sealed_secret', about: (row) => aboutSecret(Number(row['id'])) },
  { table: 'git_hook', column: 'sealed_secret', about: hookOf },
  { table: 'github_app', column: 'sealed_key', about: (row) => aboutAppKey(String(row['hook_key'])) },
  { table: 'github_app', column: 'sealed_secret', about: (row) => aboutAppSecret(String(row['hook_key'])) },
  { table: 'deploy_key', column: 'sealed_key', about: (row) => aboutKey(Number(row['app_id'])) },
  { table: 'registry', column: 'sealed_password', about: (row) => aboutPassword(Number(row['id'])) },
  {
    table: 'certificate',
    column: 'sealed_key',
    about: (row) => aboutCertificate({ host: String(row['host']), source: String(row['source']) }),
  },
  { table: 'deployment_file', column: 'sealed_content', about: fileOf },
  { table: 'image_server', column: 'sealed_key', about: () => ABOUT_IMAGE_KEY },
  { table: 'image_server', column: 'sealed_password', about: () => ABOUT_IMAGE_PASSWORD },
  { table: 'acme_account', column: 'sealed_key', about: () => ABOUT_ACCOUNT },
]

function fileOf(row: Row): string {
  return aboutDeploymentFile({ deploymentId: Number(row['deployment_id']), name: String(row['name']) })
}

function hookOf(row: Row): string {
  return aboutHook({ account_id: Number(row['account_id']), repository_id: String(row['repository_id']) })
}
