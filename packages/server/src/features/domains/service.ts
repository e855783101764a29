import type { DnsRecord, Domain, Settings } from '@berth/contract'
import { kindOf } from '../../domain/app-kinds.ts'
import { type EdgePorts, hostUrl } from '../../domain/app-url.ts'
import { recordAudit } from '../../domain/audit.ts'
import { type AppCall, type Caller, isStaff } from '../../domain/caller.ts'
import { type AppRow, type DomainRow, findApp, findDomain } from '../../domain/rows.ts'
import { appendEvent } from '../../events/event-log.ts'
import { AppError, fieldError } from '../../lib/app-error.ts'
import { hostProblem, normalHost } from '../../lib/host-name.ts'
import { limited } from '../../lib/limited.ts'
import { createLimiter } from '../../lib/limiter.ts'
import { QUOTAS, refuseBeyond } from '../../lib/quota.ts'
import type { Db, Reader, Tx } from '../../store/database.ts'
import { createUnlessTaken } from '../../store/unless-taken.ts'
import { type BaseDomain, isBelow, nameAbove, needsNoDns } from './base-domain.ts'
import {
  countDomains,
  type DomainView,
  deleteDomain,
  findDomainByHost,
  insertDomain,
  isForeignBelow,
  listDomains,
  listTroubled,
  newDomainRow,
  presentDomain,
  updateDomain,
} from './store.ts'

/** What the edge does for domains; each call saves its result in the row. */
type Confirm = () => Promise<void>
type DomainCall = AppCall & { domain: DomainRow }

export type DomainCertificates = {
  checkNow(domain: DomainRow): Promise<void>
  /** Waits for a running order; `confirm` is called after that. */
  useOwn(domain: DomainRow, pem: Pem, confirm: Confirm): Promise<void>
  dropOwn(domain: DomainRow, confirm: Confirm): Promise<void>
}

type NewDomain = { domain: string; service?: string; port?: number | null }
type Pem = { certificate: string; privateKey: string }
type Deps = {
  db: Db
  now: () => Date
  readSettings: (db: Reader) => Promise<Settings>
  readBase: (db: Reader) => Promise<BaseDomain | undefined>
  certificates: DomainCertificates
  edgePorts: EdgePorts
  /** The addresses that DNS should point to. */
  ownRecords: () => Promise<DnsRecord[]>
  /** Called after the commit, to update the edge. */
  onChanged: () => void
}

/** A check queries name servers, an unknown server and an authority, which can take seconds each. */
const CHECKS = { running: 8, runningPerKey: 2, waiting: 64, waitingPerKey: 8, waitMs: 20_000 }
const TOO_MANY_CHECKS = 'Too many domains are being checked. Try again in a few seconds.'

const unlessTaken = createUnlessTaken('domain.host', 'domain_taken', { field: 'domain', message: 'is taken' })

/** The host names of apps. */
export function createDomains(deps: Deps) {
  const { now } = deps

  const refuseReserved = createRefuseReserved(deps)
  const change = createChange(deps)
  const { shown, list, troubled } = createReads(deps)
  const touched = async (caller: Caller, app: AppRow, domain: DomainRow, action: string): Promise<DomainRow> =>
    await change(caller, app, { action, host: domain.host }, async (tx) => await current(tx, domain))

  async function create(caller: Caller, app: AppRow, input: NewDomain): Promise<Domain> {
    const host = normalHost(input.domain)
    const problem = host === 'localhost' ? undefined : hostProblem(host) // refused below, with its own error
    if (problem) throw fieldError('invalid_domain', 'domain', problem)
    if (!kindOf(app).isRouted) throw fieldError('invalid_request', 'appId', 'must be a web or compose app: only those have domains')
    const place = placeIn(app, input)
    const row = await unlessTaken(
      change(caller, app, { action: 'domain.create', host }, async (tx) => {
        await refuseReserved(tx, host)
        await refuseBelowOthers(tx, host, { app, base: await deps.readBase(tx) })
        await refuseTooMany(tx, app)
        const needsDns = !needsNoDns(host, await deps.readBase(tx))
        return await insertDomain(tx, newDomainRow(app.id, host, { generated: false, needsDns, at: now(), ...place }))
      }),
    )
    return await shown(row)
  }

  async function update(
    caller: Caller,
    app: AppRow,
    domain: DomainRow,
    input: { redirectHttps?: boolean; hsts?: boolean },
  ): Promise<Domain> {
    const row = await change(caller, app, { action: 'domain.update', host: domain.host }, async (tx) => {
      const changed = await updateDomain(tx, domain.id, {
        ...(input.redirectHttps !== undefined && { redirect_https: input.redirectHttps ? 1 : 0 }),
        ...(input.hsts !== undefined && { hsts: input.hsts ? 1 : 0 }),
        app_id: app.id,
      })
      if (!changed) throw new AppError('domain_not_found')
      return changed
    })
    return await shown(row)
  }

  async function remove(caller: Caller, app: AppRow, domain: DomainRow): Promise<{ id: number }> {
    return await change(caller, app, { action: 'domain.delete', host: domain.host }, async (tx) => {
      await deleteDomain(tx, domain.id)
      return { id: domain.id }
    })
  }

  return { list, troubled, create, update, remove, ...createCertificateUse(deps, { shown, touched }) }
}

export type Domains = ReturnType<typeof createDomains>

/** Domains as the API shows them. */
function createReads(deps: Pick<Deps, 'db' | 'readBase' | 'ownRecords' | 'edgePorts'>) {
  const { db } = deps

  async function view(): Promise<DomainView> {
    const [base, records] = await Promise.all([deps.readBase(db), deps.ownRecords()])
    return { urlOf: (row) => hostUrl(row, deps.edgePorts), recordsOf: (host) => (needsNoDns(host, base) ? [] : records) }
  }

  async function list(app: AppRow): Promise<Domain[]> {
    const shownAs = await view()
    return (await listDomains(db, app.id)).map((row) => presentDomain(row, shownAs))
  }

  async function troubled(caller: Caller): Promise<Domain[]> {
    const shownAs = await view()
    return (await listTroubled(db, isStaff(caller) ? undefined : caller.id)).map((row) => presentDomain(row, shownAs))
  }

  return { shown: async (row: DomainRow): Promise<Domain> => presentDomain(row, await view()), list, troubled }
}

type Use = {
  shown: (row: DomainRow) => Promise<Domain>
  /** Records the change. */
  touched: (caller: Caller, app: AppRow, domain: DomainRow, action: string) => Promise<DomainRow>
}

/** The certificate of a domain: check, upload, remove. */
function createCertificateUse(deps: Deps, { shown, touched }: Use) {
  const checks = createLimiter(CHECKS)

  async function checkNow(caller: Pick<Caller, 'id'>, domain: DomainRow): Promise<Domain> {
    await limited(checks, caller, TOO_MANY_CHECKS, async () => await deps.certificates.checkNow(domain))
    return await shown(await current(deps.db, domain))
  }

  async function setCertificate({ caller, app, domain, again }: DomainCall, pem: Pem): Promise<Domain> {
    await deps.certificates.useOwn(domain, pem, async () => void (await again(deps.db)))
    return await shown(await touched(caller, app, domain, 'domain.certificate'))
  }

  async function removeCertificate({ caller, app, domain, again }: DomainCall): Promise<Domain> {
    await deps.certificates.dropOwn(domain, async () => void (await again(deps.db)))
    return await shown(await touched(caller, app, domain, 'domain.certificate_removed'))
  }

  return { checkNow, setCertificate, removeCertificate }
}

/** Only compose apps take a service and a port. Whether the compose file has the service is checked by the next deployment. */
function placeIn(app: AppRow, { service, port }: NewDomain): { service?: string; port?: number | null } {
  const isAsked = service !== undefined || (port !== undefined && port !== null)
  if (isAsked && !kindOf(app).hasServices)
    throw fieldError('invalid_request', 'service', 'must not be given: only compose apps have services')
  if (service === undefined && isAsked) throw fieldError('invalid_request', 'service', 'must be given with a port')
  if (service !== undefined && (port ?? app.port) === null)
    throw fieldError('invalid_request', 'port', 'must be given: the app has no port of its own')
  return service === undefined ? {} : { service, port: port ?? null }
}

async function current(reader: Reader, domain: DomainRow): Promise<DomainRow> {
  const row = await findDomain(reader, domain.id)
  if (!row) throw new AppError('domain_not_found')
  return row
}

async function refuseTooMany(tx: Tx, app: AppRow): Promise<void> {
  const { ofApp, ofUser } = await countDomains(tx, app)
  refuseBeyond(QUOTAS.domainsOfApp, ofApp, { field: 'domain', who: 'an app', what: 'domains' })
  refuseBeyond(QUOTAS.domainsOfUser, ofUser, { field: 'domain', who: "a person's projects", what: 'domains' })
}

/** Names reserved for the platform. */
function createRefuseReserved({ readSettings, readBase }: Pick<Deps, 'readSettings' | 'readBase'>) {
  return async (reader: Reader, host: string): Promise<void> => {
    if (host === 'localhost') throw fieldError('domain_reserved', 'domain', 'localhost is reserved; use a name such as shop.localhost')
    const { dashboardDomain } = await readSettings(reader)
    if (host === dashboardDomain) throw fieldError('domain_reserved', 'domain', 'this is the host name of the dashboard')
    const base = await readBase(reader)
    if (host === base?.name) throw fieldError('domain_reserved', 'domain', 'this is the base domain of generated domains')
  }
}

/**
 * Every name below the base domain leads here without a DNS record. One below the name of somebody else's app could set cookies for that
 * app, and read those that it shares with its subdomains.
 */
async function refuseBelowOthers(tx: Tx, host: string, { app, base }: { app: AppRow; base: BaseDomain | undefined }): Promise<void> {
  if (base === undefined || !isBelow(host, base)) return
  if (await isForeignBelow(tx, host, app.project_id)) throw new AppError('domain_taken')
  const above = nameAbove(host, base)
  if (above === undefined) return
  const owner = await findDomainByHost(tx, above)
  if (owner && (await findApp(tx, owner.app_id))?.project_id === app.project_id) return
  throw fieldError('domain_reserved', 'domain', `must be directly below ${base.name}, or ${above} must be a domain of this project`)
}

/** Changes a domain with its audit line and event in one transaction, then updates the edge. */
function createChange({ db, now, onChanged }: Pick<Deps, 'db' | 'now' | 'onChanged'>) {
  return async <Result>(
    caller: Caller,
    app: AppRow,
    words: { action: string; host: string },
    work: (tx: Tx) => Promise<Result & { id: number }>,
  ): Promise<Result> => {
    const at = now()
    const result = await db.transaction(async (tx) => {
      const done = await work(tx)
      await recordAudit(tx, at, caller, { action: words.action, subject: 'app', subjectId: app.id, after: { domain: words.host } })
      await appendEvent(tx, at, { type: 'domain.changed', data: { projectId: app.project_id, appId: app.id, domainId: done.id } })
      return done
    })
    onChanged()
    return result
  }
}
