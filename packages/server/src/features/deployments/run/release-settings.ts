import { configOf, openConfig, type ReleaseConfig, sealConfig } from '../../../domain/release-config.ts'
import type { AppRow, DeploymentRow } from '../../../domain/rows.ts'
import type { SecretBox } from '../../../lib/secret-box.ts'
import type { ResolveEnvironment } from '../../env-variables/resolve-environment.ts'
import { DeploymentFailure } from './stage.ts'

type Settings = {
  config: ReleaseConfig
  /** Empty if there is a problem: unresolved settings are never stored. */
  sealed: string
  problem?: DeploymentFailure
}

export type SettingsOf = (app: AppRow, row: DeploymentRow) => Promise<Settings>

/** The settings of a deployment: those stored with it, or the current ones of the app with their references resolved. */
export function createSettingsOf(deps: { secrets: SecretBox; resolveEnvironment: ResolveEnvironment }): SettingsOf {
  const { secrets } = deps
  return async (app, row) => {
    if (row.sealed_config !== '') return { config: openConfig(secrets, app.id, row.sealed_config), sealed: row.sealed_config }
    const { env, problems } = await deps.resolveEnvironment(app)
    const config = configOf(app, env)
    if (problems.length === 0) return { config, sealed: sealConfig(secrets, app.id, config) }
    return { config, sealed: '', problem: new DeploymentFailure(problemText(problems.map(({ message }) => message))) }
  }
}

const MOST_NAMED = 3

function problemText(messages: readonly string[]): string {
  const more = messages.length - MOST_NAMED
  return [...messages.slice(0, MOST_NAMED), ...(more > 0 ? [`${more} more cannot be resolved either.`] : [])].join(' ')
}
