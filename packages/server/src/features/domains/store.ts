import type { DnsRecord, Domain } from '@berth/contract'
import type { Insertable, Updateable } from 'kysely'
import { typesWhere } from '../../domain/app-kinds.ts'
import type { AppRow, DomainRow } from '../../domain/rows.ts'
import type { Reader, Tx } from '../../store/database.ts'
import type { DomainTable } from '../../store/schema.ts'
import { projectsSharingQuota } from '../../store/shared-quota.ts'

/** How a domain is shown: its URL, and the DNS records its owner must set, if any. */
export type DomainView = {
  urlOf: (domain: Pick<DomainRow, 'host' | 'ssl_status'>) => string
  recordsOf: (host: string) => readonly DnsRecord[]
}

export function presentDomain(row: DomainRow, { urlOf, recordsOf }: DomainView): Domain {
  return {
    id: row.id,
    appId: row.app_id,
    domain: row.host,
    url: urlOf(row),
    generated: row.generated === 1,
    sslStatus: row.ssl_status,
    sslError: row.ssl_error,
    dnsStatus: row.dns_status,
    dnsError: row.dns_error,
    dnsRecords: [...recordsOf(row.host)],
    expiresAt: row.expires_at,
    nextTryAt: row.next_try_at,
    redirectHttps: row.redirect_https === 1,
    hsts: row.hsts === 1,
    ownCertificate: row.own_certificate === 1,
    service: row.service,
    port: row.port,
    createdAt: row.created_at,
  }
}

type NewDomainOptions = { generated: boolean; needsDns: boolean; at: Date; service?: string; port?: number | null }

export function newDomainRow(appId: number, host: string, options: NewDomainOptions): Insertable<DomainTable> {
  return {
    app_id: appId,
    host,
    generated: options.generated ? 1 : 0,
    ssl_status: 'none',
    ssl_error: '',
    dns_status: options.needsDns ? 'unknown' : 'ok',
    dns_error: '',
    expires_at: null,
    next_try_at: null,
    redirect_https: 1,
    hsts: 1,
    own_certificate: 0,
    service: options.service ?? '',
    port: options.port ?? null,
    created_at: options.at.toISOString(),
  }
}

export async function listDomains(db: Reader, appId: number): Promise<DomainRow[]> {
  return await db.selectFrom('domain').selectAll().where('app_id', '=', appId).orderBy('id').execute()
}

/** Domains with a DNS or certificate problem. Without a user: of all apps, for callers who can see everything. */
export async function listTroubled(db: Reader, userId: number | undefined): Promise<DomainRow[]> {
  let query = db
    .selectFrom('domain')
    .selectAll('domain')
    .where((eb) => eb.or([eb('ssl_status', '=', 'failed'), eb('dns_status', '=', 'wrong')]))
    .orderBy('domain.id')
  if (userId !== undefined)
    query = query
      .innerJoin('app', 'app.id', 'domain.app_id')
      .innerJoin('project_member', 'project_member.project_id', 'app.project_id')
      .where('project_member.user_id', '=', userId)
  return await query.execute()
}

/** How many domains people added to the app, and to all apps that share its quota. */
export async function countDomains(db: Reader, app: AppRow): Promise<{ ofApp: number; ofUser: number }> {
  const { ofApp, ofUser } = await db
    .selectFrom('domain')
    .innerJoin('app', 'app.id', 'domain.app_id')
    .select((eb) => [eb.fn.countAll<number>().as('ofUser'), eb.fn.countAll<number>().filterWhere('domain.app_id', '=', app.id).as('ofApp')])
    .where('app.project_id', 'in', projectsSharingQuota(db, app.project_id))
    .where('domain.generated', '=', 0)
    .executeTakeFirstOrThrow()
  return { ofApp, ofUser }
}

export async function insertDomain(tx: Tx, domain: Insertable<DomainTable>): Promise<DomainRow> {
  return await tx.insertInto('domain').values(domain).returningAll().executeTakeFirstOrThrow()
}

export async function updateDomain(tx: Tx, id: number, change: Updateable<DomainTable>): Promise<DomainRow | undefined> {
  return await tx.updateTable('domain').set(change).where('id', '=', id).returningAll().executeTakeFirst()
}

export async function deleteDomain(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('domain').where('id', '=', id).execute()
}

export async function isHostTaken(db: Reader, host: string): Promise<boolean> {
  return (await db.selectFrom('domain').select('id').where('host', '=', host).executeTakeFirst()) !== undefined
}

/** Whether another project has a name below this one, which could set its cookies. */
export async function isForeignBelow(db: Reader, host: string, projectId: number): Promise<boolean> {
  const below = db.selectFrom('domain').innerJoin('app', 'app.id', 'domain.app_id').select('domain.id')
  const found = await below.where('host', 'like', `%.${host}`).where('project_id', '!=', projectId).executeTakeFirst()
  return found !== undefined
}

export async function projectSlug(db: Reader, projectId: number): Promise<string> {
  const { slug } = await db.selectFrom('project').select('slug').where('id', '=', projectId).executeTakeFirstOrThrow()
  return slug
}

/** Removes every generated domain that is not directly below this name; with '' all of them. */
export async function deleteGeneratedElsewhere(tx: Tx, base: string): Promise<{ id: number; appId: number; projectId: number }[]> {
  const isElsewhere = (host: string) => base === '' || host !== `${host.split('.', 1).join('')}.${base}`
  const generated = await tx
    .selectFrom('domain')
    .innerJoin('app', 'app.id', 'domain.app_id')
    .select(['domain.id', 'domain.host', 'app.id as appId', 'app.project_id as projectId'])
    .where('generated', '=', 1)
    .execute()
  const old = generated.filter(({ host }) => isElsewhere(host))
  for (const { id } of old) await deleteDomain(tx, id)
  return old
}

export async function appsWithoutGeneratedDomain(db: Reader): Promise<AppRow[]> {
  const generated = db.selectFrom('domain').select('app_id').where('generated', '=', 1)
  return await db
    .selectFrom('app')
    .selectAll()
    .where(
      'app_type',
      'in',
      typesWhere(({ isRouted }) => isRouted),
    )
    .where('id', 'not in', generated)
    .orderBy('id')
    .execute()
}

export async function findDomainByHost(db: Reader, host: string): Promise<DomainRow | undefined> {
  return await db.selectFrom('domain').selectAll().where('host', '=', host).executeTakeFirst()
}

/** The owner is the one of the project: an app can be given to somebody who was not asked. */
export async function listHosts(db: Reader): Promise<{ host: string; isOwn: boolean; ownerId: number }[]> {
  const rows = await owned(db).select(['host', 'own_certificate', 'owner_id']).orderBy('domain.id').execute()
  return rows.map((row) => ({ host: row.host, isOwn: row.own_certificate === 1, ownerId: row.owner_id }))
}

function owned(db: Reader) {
  return db.selectFrom('domain').innerJoin('app', 'app.id', 'domain.app_id').innerJoin('project', 'project.id', 'app.project_id')
}

export type DnsState = Pick<DomainRow, 'id' | 'host' | 'dns_status' | 'dns_error'> & { ownerId: number }

export async function listDnsStates(db: Reader): Promise<DnsState[]> {
  const columns = ['domain.id', 'host', 'dns_status', 'dns_error', 'owner_id as ownerId'] as const
  return await owned(db).select(columns).orderBy('domain.id').execute()
}
