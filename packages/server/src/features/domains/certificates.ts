import type { Settings } from '@berth/contract'
import { type DomainRow, findApp } from '../../domain/rows.ts'
import type { Certificates } from '../../edge/certificates/certificates.ts'
import type { DnsCheck } from '../../edge/certificates/dns-check.ts'
import type { CertificateStatus } from '../../edge/certificates/status.ts'
import { appendEvent } from '../../events/event-log.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Logger } from '../../lib/logger.ts'
import { createTurns } from '../../lib/turns.ts'
import type { Db, Reader } from '../../store/database.ts'
import { type BaseDomain, needsNoDns } from './base-domain.ts'
import { createDnsLook } from './dns-look.ts'
import type { DomainCertificates } from './service.ts'
import { findDomainByHost, listHosts, updateDomain } from './store.ts'

type Deps = {
  db: Db
  now: () => Date
  certificates: () => Pick<Certificates, 'want' | 'hosts' | 'isWorking' | 'isArriving' | 'isUploaded' | 'checkNow' | 'upload' | 'forget'>
  checkDns: (host: string) => Promise<DnsCheck>
  readSettings: (db: Reader) => Promise<Settings>
  readBase: (db: Reader) => Promise<BaseDomain | undefined>
  log: Logger
}
type Change = Parameters<typeof updateDomain>[2]
/** Without an engine no domain works, so DNS is not checked. */
type Turn = { signal: AbortSignal; canBeVisited: boolean /** Whether this node looks after names and certificates. */; isOurs?: boolean }

/** Connects the domain rows with the edge's certificates: the status of certificates is saved for the dashboard. */
export function createDomainCertificates(deps: Deps) {
  const { db, now } = deps
  const write = createWrite(deps)
  /**
   * A host found to be unused must not get an owner before its certificate is removed. One lock per host, because removing waits for a
   * running order.
   */
  const inTurn = createTurns<string>()

  const forget = createForget(deps)
  const forgetOthers = createForgetOthers(deps, { forget, inTurn })
  const dnsLook = createDnsLook({ db, now, log: deps.log, readBase: deps.readBase, check: deps.checkDns, write })

  async function onStatus(host: string, status: CertificateStatus): Promise<void> {
    await write(host, {
      ssl_status: status.sslStatus,
      ssl_error: status.sslError ?? '',
      expires_at: status.expiresAt?.toISOString() ?? null,
      next_try_at: status.nextTryAt?.toISOString() ?? null,
    })
  }

  /** Certificates are ordered once an ACME email is set; before that the placeholder is served. */
  async function isAutomatic(): Promise<boolean> {
    return (await deps.readSettings(db)).acmeEmail !== ''
  }

  /** The dashboard's host is like any other, but has no row. */
  async function wantAll({ signal, canBeVisited, isOurs = true }: Turn): Promise<void> {
    if (canBeVisited && isOurs) await dnsLook.look(signal)
    const [{ acmeEmail, dashboardDomain }, base] = await Promise.all([deps.readSettings(db), deps.readBase(db)])
    const hosts = [...(await listHosts(db)), ...(dashboardDomain === '' ? [] : [{ host: dashboardDomain, isOwn: false }])]
    if (isOurs) await forgetOthers(new Map(hosts.map(({ host, isOwn }) => [host, isOwn])), dashboardDomain)
    await deps.certificates().want(...automatic(acmeEmail === '' ? [] : hosts.filter(({ host }) => !needsNoDns(host, base))))
  }

  async function checkNow(domain: DomainRow): Promise<void> {
    if (needsNoDns(domain.host, await deps.readBase(db))) return await write(domain.host, { dns_status: 'ok', dns_error: '' })
    const dns = await deps.checkDns(domain.host)
    await write(domain.host, { dns_status: dns.dnsStatus, dns_error: dns.dnsError ?? '' })
    if (domain.own_certificate === 0 && (await isAutomatic())) await onStatus(domain.host, await deps.certificates().checkNow(domain.host))
  }

  /** Whether the host still belongs to this domain: it may have been removed, and added by somebody else, while we waited. */
  async function isStill({ id, host }: DomainRow): Promise<boolean> {
    return (await findDomainByHost(db, host))?.id === id
  }

  const useOwn: DomainCertificates['useOwn'] = async (domain, pem, confirm) => {
    await inTurn(domain.host, async () => {
      await confirm()
      if (!(await isStill(domain))) throw new AppError('domain_not_found')
      const problem = await deps.certificates().upload(domain.host, { certificate: pem.certificate, key: pem.privateKey })
      if (problem !== undefined)
        throw new AppError('invalid_certificate', { message: problem, details: [{ field: 'certificate', message: problem }] })
      await write(domain.host, { own_certificate: 1 }, domain.id)
      if (await isStill(domain)) return
      await forget(domain.host)
      throw new AppError('domain_not_found')
    })
  }

  const dropOwn: DomainCertificates['dropOwn'] = async (domain, confirm) => {
    if (domain.own_certificate === 0 && !deps.certificates().isUploaded(domain.host)) return
    await inTurn(domain.host, async () => {
      await confirm()
      if (!(await isStill(domain))) throw new AppError('domain_not_found')
      await write(domain.host, { own_certificate: 0, ssl_status: 'none', expires_at: null, ssl_error: '', next_try_at: null }, domain.id)
      await forget(domain.host)
    })
  }

  const port: DomainCertificates = { checkNow, useOwn, dropOwn }
  return { ...port, onStatus, wantAll }
}

/** The edge may not be running: its files count, and it loads them when it is back. */
function createForget(deps: Pick<Deps, 'certificates' | 'log'>) {
  return async (host: string): Promise<void> => {
    await deps
      .certificates()
      .forget(host)
      .catch((err: unknown) => deps.log.warn({ host, err }, 'the proxy still serves the certificate'))
  }
}

/**
 * Removes the certificates of removed hosts: the next owner of the name must not get the previous key. Also removes uploaded certificates
 * without a row, after a crash in between. Hosts being worked on wait for the next run.
 */
function createForgetOthers(
  { db, certificates }: Pick<Deps, 'db' | 'certificates'>,
  { forget, inTurn }: { forget: (host: string) => Promise<void>; inTurn: ReturnType<typeof createTurns<string>> },
) {
  return async (wanted: ReadonlyMap<string, boolean>, dashboardDomain: string): Promise<void> => {
    const { hosts, isWorking, isUploaded, isArriving } = certificates()
    const isOver = (host: string, isOwn: boolean | undefined) => isOwn === undefined || (!isOwn && isUploaded(host))
    for (const host of await hosts()) {
      if (isWorking(host) || isArriving(host) || !isOver(host, wanted.get(host))) continue
      await inTurn(host, async () => {
        if (isWorking(host)) return
        const row = await findDomainByHost(db, host)
        const isOwn = row ? row.own_certificate === 1 : host === dashboardDomain ? false : undefined
        if (isOver(host, isOwn)) await forget(host)
      })
    }
  }
}

/** Unchanged status is neither written nor reported again. With an ID, only that domain is changed, whoever has the host by then. */
function createWrite({ db, now }: Pick<Deps, 'db' | 'now'>) {
  return async (host: string, change: Change, onlyId?: number): Promise<void> => {
    const found = await findDomainByHost(db, host)
    if (!found || isKnown(found, change)) return
    await db.transaction(async (tx) => {
      const row = await findDomainByHost(tx, host)
      const app = row && (await findApp(tx, row.app_id))
      if (!row || !app) return // the domain was removed meanwhile
      if (isKnown(row, change) || (onlyId !== undefined && row.id !== onlyId)) return
      await updateDomain(tx, row.id, change)
      await appendEvent(tx, now(), { type: 'domain.changed', data: { projectId: app.project_id, appId: app.id, domainId: row.id } })
    })
  }
}

type Host = { host: string; isOwn: boolean; ownerId?: number }

/** The domains for which we order certificates, with their owners. */
function automatic(hosts: readonly Host[]): [string[], Map<string, number>] {
  const ours = hosts.filter(({ isOwn }) => !isOwn)
  const owners = ours.flatMap(({ host, ownerId }): [string, number][] => (ownerId === undefined ? [] : [[host, ownerId]]))
  return [ours.map(({ host }) => host), new Map(owners)]
}

function isKnown(row: DomainRow, change: Change): boolean {
  const known = new Map<string, unknown>(Object.entries(row))
  return Object.entries(change).every(([column, value]) => known.get(column) === value)
}
