import { artifactOf } from '../../../domain/artifact.ts'
import { configOf, openConfig, type ReleaseConfig, sealConfig } from '../../../domain/release-config.ts'
import { sealFiles } from '../../../domain/release-files.ts'
import type { AppRow, DeploymentRow } from '../../../domain/rows.ts'
import type { Logger } from '../../../lib/logger.ts'
import type { SecretBox } from '../../../lib/secret-box.ts'
import { isStorageFailure } from '../../../store/storage-failure.ts'
import type { ResolveEnvironment } from '../../env-variables/resolve-environment.ts'
import type { CurrentFiles } from '../../storage/release-files.ts'
import { DeploymentFailure } from './stage.ts'

type Settings = {
  config: ReleaseConfig
  /** Empty if there is a problem: unresolved settings are never stored. */
  sealed: string
  /** The files of the app, if they are not stored with the deployment yet. */
  sealedFiles?: string
  problem?: DeploymentFailure
}

type Deps = {
  secrets: SecretBox
  resolveEnvironment: ResolveEnvironment
  currentFiles: CurrentFiles
  log: Pick<Logger, 'error'>
}
export type SettingsOf = (app: AppRow, row: DeploymentRow) => Promise<Settings>

const UNREADABLE =
  'The settings or variables of the app cannot be read: they are damaged, or encrypted with another secrets.key. Restore the key that belongs to this data, or set the variables again, then deploy again.'

/**
 * The settings of a deployment: those stored with it, or the current ones of the app with their references resolved. If they cannot be
 * read, that is its problem: a retry would find the same.
 */
export function createSettingsOf(deps: Deps): SettingsOf {
  const { secrets } = deps

  async function read(app: AppRow, row: DeploymentRow): Promise<Settings> {
    if (row.sealed_config !== '') return { config: openConfig(secrets, app.id, row.sealed_config), sealed: row.sealed_config }
    const { env, problems } = await deps.resolveEnvironment(app)
    const files = await deps.currentFiles(app.id)
    const shown = files.map(({ path, mode, base64 }) => ({ path, mode, version: secrets.nameOf(base64).slice(0, VERSION_DIGITS) }))
    const config = configOf(app, env, shown)
    if (problems.length === 0)
      return { config, sealed: sealConfig(secrets, app.id, config), sealedFiles: sealFiles(secrets, app.id, files) }
    return { config, sealed: '', problem: new DeploymentFailure(problemText(problems.map(({ message }) => message))) }
  }

  return async (app, row) =>
    await read(app, row).catch((cause: unknown) => {
      if (isStorageFailure(cause)) throw cause
      deps.log.error({ deploymentId: row.id, err: cause }, 'the settings of a deployment cannot be read')
      return { config: configOf(app, {}), sealed: '', problem: new DeploymentFailure(UNREADABLE, { cause }) }
    })
}

type ForBuild = { settingsOf: SettingsOf; buildSecretsOf: (appId: number) => Promise<BuildSecrets> } & Pick<Deps, 'log'>
type BuildSecrets = Readonly<Record<string, string>>
export type BuildSettingsOf = (app: AppRow, row: DeploymentRow) => Promise<Settings & { buildSecrets: BuildSecrets }>

/** The settings of a deployment and the current secrets of its build, which are not part of a release. */
export function withBuildSecrets({ settingsOf, buildSecretsOf, log }: ForBuild): BuildSettingsOf {
  return async (app, row) => {
    const settings = await settingsOf(app, row)
    if (artifactOf(row) !== undefined) return { ...settings, buildSecrets: {} } // nothing is built
    try {
      return { ...settings, buildSecrets: await buildSecretsOf(app.id) }
    } catch (cause) {
      if (isStorageFailure(cause)) throw cause
      log.error({ deploymentId: row.id, err: cause }, 'the build secrets of a deployment cannot be read')
      return { ...settings, buildSecrets: {}, problem: new DeploymentFailure(UNREADABLE, { cause }) }
    }
  }
}

const MOST_NAMED = 3
const VERSION_DIGITS = 8

function problemText(messages: readonly string[]): string {
  const more = messages.length - MOST_NAMED
  return [...messages.slice(0, MOST_NAMED), ...(more > 0 ? [`${more} more cannot be resolved either.`] : [])].join(' ')
}
