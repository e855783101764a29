import BetterSqlite from 'better-sqlite3'

export type LiveApp = {
  readonly id: number
  readonly name: string
  readonly project: string
  readonly kind: string
  readonly deploymentId: number
  /** Those in its settings, as JSON. */
  readonly volumes: string
}
export type Instance = {
  readonly id: string
  readonly isWhole: boolean
  readonly schemaVersion: number
  readonly newestRowAt: string
  readonly liveApps: readonly LiveApp[]
  readonly wrongDomains: readonly { readonly host: string; readonly reason: string }[]
}

/** Reads the database; the server may be running. */
export function readInstance(path: string): Instance {
  const file = new BetterSqlite(path, { readonly: true, timeout: 5000 })
  try {
    const isWhole = file.pragma('quick_check(1)', { simple: true }) === 'ok'
    const value = (sql: string) => file.prepare<[], { value: string | number | null }>(sql).get()?.value
    return {
      id: String(value("select value from fact where name = 'instance_id'") ?? ''),
      isWhole,
      schemaVersion: Number(value('select max(version) as value from schema_migration') ?? 0),
      newestRowAt: String(
        value('select max(at) as value from (select max(at) as at from audit union select max(created_at) from deployment)') ?? '',
      ),
      liveApps: file
        .prepare<[], LiveApp>(
          `select app.id, app.name, project.name as project, app.app_type as kind, deployment.id as deploymentId,
                  app.volumes
             from deployment join app on app.id = deployment.app_id join project on project.id = app.project_id
            where deployment.is_active = 1 order by app.id`,
        )
        .all(),
      wrongDomains: file
        .prepare<[], { host: string; reason: string }>(
          "select host, dns_error as reason from domain where dns_status = 'wrong' order by host",
        )
        .all(),
    }
  } finally {
    file.close()
  }
}
