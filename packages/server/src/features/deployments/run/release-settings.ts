import { configOf, openConfig, type ReleaseConfig, sealConfig } from '../../../domain/release-config.ts'
import type { AppRow, DeploymentRow } from '../../../domain/rows.ts'
import type { SecretBox } from '../../../lib/secret-box.ts'
import type { Db } from '../../../store/database.ts'

type Deps = { db: Db; secrets: SecretBox; readEnv: (db: Db, appId: number) => Promise<Record<string, string>> }

export type SettingsOf = (app: AppRow, row: DeploymentRow) => Promise<{ config: ReleaseConfig; sealed: string }>

/** What a deployment is started with: what was recorded with it, or what the app has now. */
export function createSettingsOf({ db, secrets, readEnv }: Deps): SettingsOf {
  return async (app, row) => {
    if (row.sealed_config !== '') return { config: openConfig(secrets, app.id, row.sealed_config), sealed: row.sealed_config }
    const config = configOf(app, await readEnv(db, app.id))
    return { config, sealed: sealConfig(secrets, app.id, config) }
  }
}
