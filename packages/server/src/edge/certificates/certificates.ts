import { setTimeout as sleep } from 'node:timers/promises'
import type { Edge, EdgeLog } from '../edge.ts'
import type { AccountPause } from './account-pause.ts'
import type { IssueAttempts } from './attempts.ts'
import type { CertificateSource } from './certificate-files.ts'
import { checkUpload } from './check.ts'
import { createDueHosts, type HostOwners } from './due-hosts.ts'
import type { CertificateIssuer } from './issuer.ts'
import type { CertificateStore } from './kept-certificates.ts'
import { createRenewalPolicy } from './renewal-policy.ts'
import { createShownCertificates } from './served-certificates.ts'
import { type CertificateStatus, certificateStatus } from './status.ts'

/** Of several nodes one orders certificates at a time; what it does then belongs to its lease. */
export type Orders = { isOurs: () => boolean; run: <Result>(work: () => Promise<Result>) => Promise<Result> }

const ALWAYS_OURS: Orders = { isOurs: () => true, run: async (work) => await work() }
/** How long a person waits for the order of another node. */
const OTHERS_WITHIN_MS = 30_000
const LOOK_EVERY_MS = 500

type CertificateEvents = { onStatus(host: string, status: CertificateStatus): void }

export type CertificatesDeps = {
  store: Pick<CertificateStore, 'read' | 'put' | 'remove' | 'removeOtherFiles' | 'isArriving'>
  attempts: IssueAttempts
  issuer: CertificateIssuer
  pause: AccountPause
  /** The authority that certificates are currently ordered from. */
  directory: () => string
  edge: Pick<Edge, 'setCertificates' | 'isRefused'>
  events: CertificateEvents
  log: EdgeLog
  now: () => Date
  /** Who orders certificates, if there are several nodes. */
  orders?: Orders
  everyMs?: number
  atOnce?: number
}

/** Keeps a valid certificate for every wanted host. Nothing waits for it: until there is one, the placeholder is served. */
export function createCertificates(deps: CertificatesDeps) {
  const { store, attempts, issuer, pause, directory, edge, events, log, now, orders = ALWAYS_OURS } = deps
  const isBeingPut = (host: string, source: CertificateSource) => (source === 'acme' ? work.isWorking(host) : uploading.has(host))
  const shown = createShownCertificates({ store, edge, log, isBeingPut })
  const { isDue, retryNow, tried, forgetAttempt } = createRenewalPolicy({ shown: shown.get, attempts, pause, directory, now })
  const work = createOrders(deps, { isDue, issue })
  const uploading = new Set<string>()
  const { report, reportChanged, forgetReport } = createReports({ events, status })
  const ready = oncePossible(async () => void (await Promise.all([shown.take(), attempts.follow()])))
  const upload = createUpload(deps, { ready, shown, uploading, report, forgetAttempt })
  ready().catch((err: unknown) => log.warn({ err }, 'Certificates not loaded'))

  async function issue(host: string): Promise<void> {
    report(host)
    const certificate = await issuer.tryIssue(host, work.ownerOf(host))
    // somebody may have uploaded their own in the meantime
    if (certificate !== undefined && !isUploaded(host)) await shown.show(certificate)
    report(host, { isWorking: false })
  }

  function status(host: string, { isWorking } = { isWorking: work.isWorking(host) }): CertificateStatus {
    const certificate = shown.get(host)
    const isRefused = certificate !== undefined && edge.isRefused(certificate)
    const [attempt, isWanted] = [isUploaded(host) ? undefined : attempts.get(host), work.isWanted(host)]
    return certificateStatus({ certificate, attempt, pause: pause.current(), isRefused, isWorking, isWanted, now: now() })
  }

  /** The hosts for which we order certificates. Others keep what they have until `forget`. */
  async function want(hosts: readonly string[], owners?: HostOwners): Promise<void> {
    await follow()
    await shown.finishRemovals()
    if (orders.isOurs()) reportChanged(shown.hosts().filter((host) => !work.isWorking(host) && !uploading.has(host)))
    work.want(hosts, owners)
    if (orders.isOurs() && pause.current()) reportChanged(hosts.filter((host) => shown.get(host) === undefined && !work.isWorking(host)))
  }

  /** Serves what other nodes have stored, and orders what they asked for. */
  async function follow(): Promise<void> {
    await ready()
    const changed = await shown.follow()
    if ((await attempts.follow()) || changed.length > 0) work.look()
  }

  /** Tries now instead of at the next planned time. The authority's own rate limit still applies. */
  async function checkNow(host: string): Promise<CertificateStatus> {
    await ready()
    await retryNow(host)
    work.begin(host) // if the orders are ours
    await work.finished(host)
    if (!orders.isOurs()) await untilOthersTried(async () => await follow().then(() => isDue(host)))
    return status(host)
  }

  /** For a host that was removed, or that should get our certificate instead of an uploaded one. */
  async function forget(host: string): Promise<void> {
    await ready()
    await work.finished(host)
    await forgetAttempt(host)
    await shown.remove(host)
    report(host)
    forgetReport(host)
    work.look()
  }

  /** Every host with a certificate or an attempt, but for those of which only a rate limit is remembered. */
  async function hosts(): Promise<string[]> {
    await ready()
    return [...new Set([...shown.hosts(), ...tried()])]
  }

  const isUploaded = (host: string) => shown.get(host)?.source === 'uploaded'
  const looks = { status: (host: string) => status(host), isWorking: work.isWorking, isUploaded, isArriving: store.isArriving }
  return { ...looks, want, follow, hosts, checkNow, upload, forget, close: work.close }
}

export type Certificates = ReturnType<typeof createCertificates>

type Ordering = { isDue: (host: string) => boolean; issue: (host: string) => Promise<void> }

function createOrders({ pause, log, orders = ALWAYS_OURS, everyMs = 30_000, atOnce = 4 }: CertificatesDeps, { isDue, issue }: Ordering) {
  return createDueHosts({
    isDue: (host) => orders.isOurs() && isDue(host),
    run: async (host) => await orders.run(async () => await issue(host)),
    onFailure: (host, err) => log.warn({ host, err }, 'Certificate attempt not recorded'),
    everyMs,
    atOnce,
    isOneAtATime: pause.isTrying,
  })
}

/** Runs once; after a failure, again when it is needed. */
function oncePossible(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined
  return async () => {
    done ??= work()
    await done.catch((cause: unknown) => {
      done = undefined
      throw cause
    })
  }
}

async function untilOthersTried(isDue: () => Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + OTHERS_WITHIN_MS
  while ((await isDue()) && performance.now() < giveUpAt) await sleep(LOOK_EVERY_MS)
}

type Uploads = {
  ready: () => Promise<void>
  shown: Pick<ReturnType<typeof createShownCertificates>, 'show'>
  uploading: Set<string>
  report: (host: string) => void
  forgetAttempt: (host: string) => Promise<void>
}

/** Stores an uploaded certificate. Returns undefined if it can be used, otherwise the reason. */
function createUpload({ store, now }: Pick<CertificatesDeps, 'store' | 'now'>, uploads: Uploads) {
  const { ready, shown, uploading, report, forgetAttempt } = uploads
  return async (host: string, pem: { certificate: string; key: string }): Promise<string | undefined> => {
    await ready()
    const check = checkUpload({ host, ...pem, now: now() })
    if ('problem' in check) return check.problem
    uploading.add(host)
    try {
      const certificate = await store.put(host, 'uploaded', check)
      await forgetAttempt(host)
      await shown.show(certificate)
    } finally {
      uploading.delete(host)
    }
    report(host)
    return undefined
  }
}

type KnownWork = { isWorking: boolean }

/** Remembers the last reported status, because a certificate expires without an event. */
function createReports(deps: { events: CertificateEvents; status: (host: string, known?: KnownWork) => CertificateStatus }) {
  const { events, status } = deps
  const said = new Map<string, CertificateStatus['sslStatus']>()

  function report(host: string, known?: KnownWork): void {
    const found = status(host, known)
    said.set(host, found.sslStatus)
    events.onStatus(host, found)
  }

  /** For hosts with a certificate: it is unknown whether their status was saved before the restart. */
  function reportChanged(hosts: readonly string[]): void {
    for (const host of hosts) if (status(host).sslStatus !== said.get(host)) report(host)
  }

  return { report, reportChanged, forgetReport: (host: string) => said.delete(host) }
}
