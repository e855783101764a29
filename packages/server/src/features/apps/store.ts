import type { Application, ListedApplication } from '@berth/contract'
import { type Insertable, sql, type Updateable } from 'kysely'
import { findAppData, findDataMove } from '../../domain/app-data.ts'
import { typesWhere } from '../../domain/app-kinds.ts'
import { bestHost, type EdgePorts, hostUrl } from '../../domain/app-url.ts'
import { volumesOf } from '../../domain/app-volumes.ts'
import { processesOf } from '../../domain/processes.ts'
import type { AppRow, DomainRow } from '../../domain/rows.ts'
import { shownHostKey } from '../../git/ssh-keys.ts'
import type { Db, Reader, Tx } from '../../store/database.ts'
import type { AppTable } from '../../store/schema.ts'
import { projectsSharingQuota } from '../../store/shared-quota.ts'

type Host = Pick<DomainRow, 'app_id' | 'host' | 'ssl_status' | 'dns_status'>
type Hosts = ReadonlyMap<number, readonly Host[]>

const HOST_COLUMNS = ['domain.app_id', 'domain.host', 'domain.ssl_status', 'domain.dns_status'] as const

/** What a list reads of each app; the settings that can be long stay out. */
const LISTED_COLUMNS = [
  'app.id',
  'app.name',
  'app.description',
  'app.project_id',
  'app.app_type',
  'app.port',
  'app.status',
  'app.status_reason',
  'app.slug',
  'app.created_by',
  'app.created_at',
  'app.updated_at',
  'app.git_repository',
  'app.git_branch',
  'app.git_provider_id',
  'app.git_clone_url',
  'app.auto_deploy',
  'app.hook_hash',
  'app.hook_by',
  'app.deploy_key',
  'app.host_key',
  'app.poll_source',
  'app.source_set_by',
  'app.root_directory',
  'app.dockerfile_path',
  'app.deployment_strategy',
  'app.restart_policy',
  'app.cpu_limit',
  'app.memory_limit',
  'app.replicas',
  'app.placement',
  'app.template_name',
  'app.healthcheck_path',
  'app.builder',
  'app.image',
  'app.output_directory',
  'app.build_target',
] as const
type Unprefixed<Name> = Name extends `app.${infer Column extends keyof AppRow}` ? Column : never
type ListedRow = Pick<AppRow, Unprefixed<(typeof LISTED_COLUMNS)[number]>> & {
  /** The deployment of its live release. */
  live_id: number | null
}

/** Apps with their live releases, of which each has at most one. */
function appsWithLive(db: Pick<Db, 'selectFrom'>) {
  return db
    .selectFrom('app')
    .leftJoin('deployment as live', (join) => join.onRef('live.app_id', '=', 'app.id').on('live.is_active', '=', sql.lit(1)))
    .select([...LISTED_COLUMNS, 'live.id as live_id'])
    .orderBy('app.id')
}

function present(row: Readonly<ListedRow>, hosts: Hosts, ports: EdgePorts): ListedApplication {
  const { hook_hash, hook_by, host_key, live_id, ...rest } = row
  const own = hosts.get(row.id) ?? []
  const best = bestHost(own)
  const poll_source = row.poll_source === null ? null : row.poll_source === 1
  const access = { deploy_hook: hook_hash !== '', deploy_hook_by: hook_by, host_key: shownHostKey(host_key), poll_source }
  const domains = own.map(({ host }) => host)
  return {
    ...rest,
    is_deployed: live_id !== null,
    auto_deploy: row.auto_deploy === 1,
    ...access,
    port: row.port ?? 0,
    domains,
    url: best ? hostUrl(best, ports) : '',
  }
}

type Whole = { hosts: Hosts; buildSecrets: readonly string[]; liveId: number | null; data: Application['data_server'] }

function presentWhole(row: Readonly<AppRow>, { hosts, buildSecrets, liveId, data }: Whole, ports: EdgePorts): Application {
  const { watch_paths, install_command, build_command, start_command, release_command, build_args, volumes, processes, ...more } = row
  const { submodules, lfs, ...others } = more
  const { wanted, stopped_services, git_repository_id, git_commit_url, ...listed } = others
  // internal: what a person requested (the API shows `status`), and the host's names
  void [wanted, stopped_services, git_repository_id, git_commit_url]
  return {
    ...present({ ...listed, live_id: liveId }, hosts, ports),
    watch_paths: JSON.parse(watch_paths) as string[], // written by us, as the contract says
    install_command,
    build_command,
    start_command,
    release_command,
    build_args: JSON.parse(build_args) as Record<string, string>, // the same
    volumes: volumesOf({ volumes }),
    processes: processesOf({ processes }),
    build_secrets: [...buildSecrets],
    ...(data && { data_server: data }),
    submodules: submodules === 1,
    lfs: lfs === 1,
  }
}

/** Most requests of the dashboard ask these two, so the queries are built once. */
export function createAppLists(db: Pick<Db, 'selectFrom' | 'cachedRead'>, ports: EdgePorts) {
  const appsOfProject = appsWithLive(db).where('app.project_id', '=', 0).compile()
  const hostsOfProject = db
    .selectFrom('domain')
    .innerJoin('app', 'app.id', 'domain.app_id')
    .select(HOST_COLUMNS)
    .where('app.project_id', '=', 0)
    .orderBy('domain.id')
    .compile()

  /** Cached with the rows that the database layer caches: the same rows give the same list. */
  const presented = new WeakMap<readonly ListedRow[], { from: readonly Host[]; list: ListedApplication[] }>()

  return async (projectId: number): Promise<ListedApplication[]> => {
    const apps = await db.cachedRead(appsOfProject, projectId)
    const domains = await db.cachedRead(hostsOfProject, projectId)
    const known = presented.get(apps)
    if (known?.from === domains) return known.list
    const hosts = groupHosts(domains)
    const list = apps.map((row) => present(row, hosts, ports))
    presented.set(apps, { from: domains, list })
    return list
  }
}

function groupHosts(rows: readonly Host[]): Hosts {
  return Map.groupBy(rows, ({ app_id }) => app_id)
}

/** Without a user: all apps, for callers who can see everything. */
export async function listVisibleApplications(db: Reader, ports: EdgePorts, userId: number | undefined): Promise<ListedApplication[]> {
  let apps = appsWithLive(db)
  if (userId !== undefined) {
    apps = apps.innerJoin('project_member', 'project_member.project_id', 'app.project_id').where('project_member.user_id', '=', userId)
  }
  let hostsOfApps = db.selectFrom('domain').select(HOST_COLUMNS).orderBy('domain.id')
  if (userId !== undefined) {
    hostsOfApps = hostsOfApps
      .innerJoin('app', 'app.id', 'domain.app_id')
      .innerJoin('project_member', 'project_member.project_id', 'app.project_id')
      .where('project_member.user_id', '=', userId)
  }
  const [rows, domains] = await Promise.all([apps.execute(), hostsOfApps.execute()])
  const hosts = groupHosts(domains)
  return rows.map((row) => present(row, hosts, ports))
}

async function dataServerOf(db: Reader, appId: number): Promise<Application['data_server']> {
  const data = await findAppData(db, appId)
  const move = data && (await findDataMove(db, appId))
  const to = move && data.server !== move.to_server && { moving_to: { id: move.to_server, name: move.to_name } }
  return data && { id: data.server, name: data.server_name, move_problem: data.move_problem, ...to }
}

export async function presentApplication(db: Reader, ports: EdgePorts, row: AppRow): Promise<Application> {
  const domains = await db.selectFrom('domain').select(HOST_COLUMNS).where('app_id', '=', row.id).orderBy('id').execute()
  const secrets = await db.selectFrom('build_secret').select('name').where('app_id', '=', row.id).orderBy('name').execute()
  const live = await db.selectFrom('deployment').select('id').where('app_id', '=', row.id).where('is_active', '=', 1).executeTakeFirst()
  const data = await dataServerOf(db, row.id)
  const whole = { hosts: groupHosts(domains), buildSecrets: secrets.map(({ name }) => name), liveId: live?.id ?? null, data }
  return presentWhole(row, whole, ports)
}

export async function isSlugTaken(db: Reader, projectId: number, slug: string): Promise<boolean> {
  return (
    (await db.selectFrom('app').select('id').where('project_id', '=', projectId).where('slug', '=', slug).executeTakeFirst()) !== undefined
  )
}

/** How many apps the project has, how many there are in all projects that share its quota, and how many of those have their own network. */
export async function countApps(db: Reader, projectId: number): Promise<{ ofProject: number; ofUser: number; composeOfUser: number }> {
  return await db
    .selectFrom('app')
    .select((eb) => [
      eb.fn.countAll<number>().as('ofUser'),
      eb.fn.countAll<number>().filterWhere('project_id', '=', projectId).as('ofProject'),
      eb.fn
        .countAll<number>()
        .filterWhere(
          'app_type',
          'in',
          typesWhere(({ hasServices }) => hasServices),
        )
        .as('composeOfUser'),
    ])
    .where('project_id', 'in', projectsSharingQuota(db, projectId))
    .executeTakeFirstOrThrow()
}

export async function insertApp(tx: Tx, app: Insertable<AppTable>): Promise<AppRow> {
  return await tx.insertInto('app').values(app).returningAll().executeTakeFirstOrThrow()
}

export async function updateApp(tx: Tx, id: number, change: Updateable<AppTable>): Promise<AppRow | undefined> {
  return await tx.updateTable('app').set(change).where('id', '=', id).returningAll().executeTakeFirst()
}

export async function deleteApp(tx: Tx, id: number): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('app').where('id', '=', id).executeTakeFirst()
  return numDeletedRows > 0n
}

export async function listAppRows(db: Reader, projectId: number): Promise<AppRow[]> {
  return await db.selectFrom('app').selectAll().where('project_id', '=', projectId).orderBy('id').execute()
}

/** The processes of the live release, as JSON. */
export async function liveProcesses(db: Reader, appId: number): Promise<{ processes: string }> {
  const live = db.selectFrom('deployment').select('processes').where('app_id', '=', appId).where('is_active', '=', 1)
  return (await live.executeTakeFirst()) ?? { processes: '[]' }
}
