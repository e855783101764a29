import type { DnsRecord, Domain } from '@berth/contract'
import type { Insertable, Updateable } from 'kysely'
import type { AppRow, DomainRow } from '../../domain/rows.ts'
import type { Reader, Tx } from '../../store/database.ts'
import type { DomainTable } from '../../store/schema.ts'
import { projectsSharingQuota } from '../../store/shared-quota.ts'

export function presentDomain(row: DomainRow, dnsRecords: readonly DnsRecord[]): Domain {
  return {
    id: row.id,
    appId: row.app_id,
    domain: row.host,
    generated: row.generated === 1,
    sslStatus: row.ssl_status,
    sslError: row.ssl_error,
    dnsStatus: row.dns_status,
    dnsError: row.dns_error,
    dnsRecords: [...dnsRecords],
    expiresAt: row.expires_at,
    nextTryAt: row.next_try_at,
    redirectHttps: row.redirect_https === 1,
    hsts: row.hsts === 1,
    ownCertificate: row.own_certificate === 1,
    createdAt: row.created_at,
  }
}

export function newDomainRow(appId: number, host: string, options: { generated: boolean; at: Date }): Insertable<DomainTable> {
  return {
    app_id: appId,
    host,
    generated: options.generated ? 1 : 0,
    ssl_status: 'none',
    ssl_error: '',
    dns_status: 'unknown',
    dns_error: '',
    expires_at: null,
    next_try_at: null,
    redirect_https: 1,
    hsts: 1,
    own_certificate: 0,
    created_at: options.at.toISOString(),
  }
}

export async function listDomains(db: Reader, appId: number): Promise<DomainRow[]> {
  return await db.selectFrom('domain').selectAll().where('app_id', '=', appId).orderBy('id').execute()
}

/** How many domains the app has, and how many all apps have that share its quota. */
export async function countDomains(db: Reader, app: AppRow): Promise<{ ofApp: number; ofUser: number }> {
  const { ofApp, ofUser } = await db
    .selectFrom('domain')
    .innerJoin('app', 'app.id', 'domain.app_id')
    .select((eb) => [eb.fn.countAll<number>().as('ofUser'), eb.fn.countAll<number>().filterWhere('domain.app_id', '=', app.id).as('ofApp')])
    .where('app.project_id', 'in', projectsSharingQuota(db, app.project_id))
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

export async function projectSlug(db: Reader, projectId: number): Promise<string> {
  const { slug } = await db.selectFrom('project').select('slug').where('id', '=', projectId).executeTakeFirstOrThrow()
  return slug
}

/** Web apps that have no generated domain right under this wildcard yet; one of a wildcard below it does not count. */
export async function appsWithoutDomainUnder(db: Reader, wildcard: string): Promise<AppRow[]> {
  return await db
    .selectFrom('app')
    .selectAll()
    .where('app_type', '=', 'web')
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('domain')
            .select('domain.id')
            .whereRef('domain.app_id', '=', 'app.id')
            .where('generated', '=', 1)
            .where('host', 'like', `%.${wildcard}`)
            .where('host', 'not like', `%.%.${wildcard}`),
        ),
      ),
    )
    .orderBy('id')
    .execute()
}

export async function findDomainByHost(db: Reader, host: string): Promise<DomainRow | undefined> {
  return await db.selectFrom('domain').selectAll().where('host', '=', host).executeTakeFirst()
}

/** The owner is the person whose app it is. */
export async function listHosts(db: Reader): Promise<{ host: string; isOwn: boolean; ownerId: number }[]> {
  const domains = db.selectFrom('domain').innerJoin('app', 'app.id', 'domain.app_id')
  const rows = await domains.select(['host', 'own_certificate', 'created_by']).orderBy('domain.id').execute()
  return rows.map((row) => ({ host: row.host, isOwn: row.own_certificate === 1, ownerId: row.created_by }))
}

export type DnsState = Pick<DomainRow, 'id' | 'host' | 'dns_status' | 'dns_error'> & { ownerId: number }

export async function listDnsStates(db: Reader): Promise<DnsState[]> {
  const domains = db.selectFrom('domain').innerJoin('app', 'app.id', 'domain.app_id')
  const columns = ['domain.id', 'host', 'dns_status', 'dns_error', 'created_by as ownerId'] as const
  return await domains.select(columns).orderBy('domain.id').execute()
}
