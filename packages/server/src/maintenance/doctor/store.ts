import type { Config } from '../../config.ts'
import { withRawReads } from '../../store/raw-reads.ts'

export type LiveApp = {
  readonly id: number
  readonly name: string
  readonly project: string
  readonly projectId: number
  readonly kind: string
  readonly deploymentId: number
  /** Those in its settings, as JSON. */
  readonly volumes: string
}
export type Instance = {
  readonly id: string
  /** Whether Berth has switched Swarm on. */
  readonly isSwarmOn: boolean
  /** PostgreSQL checks that itself. */
  readonly isWhole: boolean
  readonly schemaVersion: number
  readonly newestRowAt: string
  readonly liveApps: readonly LiveApp[]
  readonly wrongDomains: readonly { readonly host: string; readonly reason: string }[]
}

/** Reads the database; the server may be running. */
export async function readInstance(config: Pick<Config, 'dataDir' | 'database'>): Promise<Instance> {
  return await withRawReads(config, async (read) => {
    const value = async (sql: string) => (await read<{ value: string | number | null }>(sql))[0]?.value
    const [check] = config.database.kind === 'sqlite' ? await read<{ quick_check: string }>('pragma quick_check(1)') : []
    return {
      id: String((await value("select value from fact where name = 'instance_id'")) ?? ''),
      isSwarmOn: (await value("select value from fact where name = 'swarm'")) !== undefined,
      isWhole: check === undefined || check.quick_check === 'ok',
      schemaVersion: Number((await value('select max(version) as value from schema_migration')) ?? 0),
      newestRowAt: String(
        (await value(
          'select max(at) as value from (select max(at) as at from audit union select max(created_at) as at from deployment) as times',
        )) ?? '',
      ),
      liveApps: await read<LiveApp>(
        `select app.id, app.name, project.name as project, project.id as "projectId", app.app_type as kind, deployment.id as "deploymentId",
                app.volumes
           from deployment join app on app.id = deployment.app_id join project on project.id = app.project_id
          where deployment.is_active = 1 order by app.id`,
      ),
      wrongDomains: await read<{ host: string; reason: string }>(
        "select host, dns_error as reason from domain where dns_status = 'wrong' order by host",
      ),
    }
  })
}
