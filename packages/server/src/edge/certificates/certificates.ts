import type { EdgeLog } from '../controller.ts'
import type { Edge } from '../edge.ts'
import type { IssueAttempts } from './attempts.ts'
import { checkUpload } from './check.ts'
import { createDueHosts, type HostOwners } from './due-hosts.ts'
import type { CertificateIssuer } from './issuer.ts'
import { createRenewalPolicy } from './renewal-policy.ts'
import { createShownCertificates } from './served-certificates.ts'
import { type CertificateStatus, certificateStatus } from './status.ts'
import type { CertificateSource, CertificateStore } from './store.ts'

type CertificateEvents = { onStatus(host: string, status: CertificateStatus): void }

export type CertificatesDeps = {
  store: CertificateStore
  attempts: IssueAttempts
  issuer: CertificateIssuer
  /** The authority that certificates are currently ordered from. */
  directory: () => string
  edge: Pick<Edge, 'setCertificates' | 'isRefused'>
  events: CertificateEvents
  log: EdgeLog
  now: () => Date
  everyMs?: number
  atOnce?: number
}

/** Keeps a valid certificate for every wanted host. Nothing waits for it: until there is one, the placeholder is served. */
export function createCertificates(deps: CertificatesDeps) {
  const { store, attempts, issuer, directory, edge, events, log, now, everyMs = 30_000, atOnce = 4 } = deps
  const isBeingPut = (host: string, source: CertificateSource) => (source === 'acme' ? work.isWorking(host) : uploading.has(host))
  const shown = createShownCertificates({ store, edge, log, isBeingPut })
  const onFailure = (host: string, err: unknown) => log.warn({ host, err }, 'Certificate attempt not recorded')
  const { isDue, retryNow } = createRenewalPolicy({ shown: shown.get, attempts, directory, now })
  const work = createDueHosts({ isDue, run: issue, onFailure, everyMs, atOnce })
  const uploading = new Set<string>()
  const { report, reportChanged, forgetReport } = createReports({ events, status })
  const ready = open()
  const upload = createUpload(deps, { ready, shown, uploading, report })
  ready.catch((err: unknown) => log.warn({ err }, 'Certificates not loaded'))

  async function open(): Promise<void> {
    await shown.load()
    await attempts.load()
  }

  async function issue(host: string): Promise<void> {
    report(host)
    const certificate = await issuer.tryIssue(host)
    // somebody may have uploaded their own in the meantime
    if (certificate !== undefined && !isUploaded(host)) await shown.show(certificate)
    report(host, { isWorking: false })
  }

  function status(host: string, { isWorking } = { isWorking: work.isWorking(host) }): CertificateStatus {
    const certificate = shown.get(host)
    const known = { certificate, attempt: attempts.get(host), isRefused: certificate !== undefined && edge.isRefused(certificate) }
    return certificateStatus({ ...known, isWorking, isWanted: work.isWanted(host), now: now() })
  }

  /** The hosts for which we order certificates. Others keep what they have until `forget`. */
  async function want(hosts: readonly string[], owners?: HostOwners): Promise<void> {
    await ready
    for (const host of await shown.dropMissingFiles(work.isWorking)) report(host)
    await shown.finishRemovals()
    reportChanged(shown.hosts().filter((host) => !work.isWorking(host) && !uploading.has(host)))
    work.want(hosts, owners)
  }

  /** Tries now instead of at the next planned time. The authority's own rate limit still applies. */
  async function checkNow(host: string): Promise<CertificateStatus> {
    await ready
    await retryNow(host)
    work.begin(host)
    await work.finished(host)
    return status(host)
  }

  /** For a host that was removed, or that should get our certificate instead of an uploaded one. */
  async function forget(host: string): Promise<void> {
    await ready
    await work.finished(host)
    await attempts.clear(host)
    await shown.remove(host)
    report(host)
    forgetReport(host)
    work.look()
  }

  /** Every host with a certificate or an attempt. */
  async function hosts(): Promise<string[]> {
    await ready
    return [...new Set([...shown.hosts(), ...attempts.hosts()])]
  }

  const { isWorking, close } = work
  const isUploaded = (host: string) => shown.get(host)?.source === 'uploaded'
  return { want, hosts, status: (host: string) => status(host), isWorking, isUploaded, checkNow, upload, forget, close }
}

export type Certificates = ReturnType<typeof createCertificates>

type Uploads = {
  ready: Promise<void>
  shown: Pick<ReturnType<typeof createShownCertificates>, 'show'>
  uploading: Set<string>
  report: (host: string) => void
}

/** Stores an uploaded certificate. Returns undefined if it can be used, otherwise the reason. */
function createUpload({ store, attempts, now }: Pick<CertificatesDeps, 'store' | 'attempts' | 'now'>, uploads: Uploads) {
  const { ready, shown, uploading, report } = uploads
  return async (host: string, pem: { certificate: string; key: string }): Promise<string | undefined> => {
    await ready
    const check = checkUpload({ host, ...pem, now: now() })
    if ('problem' in check) return check.problem
    uploading.add(host)
    try {
      const certificate = await store.put(host, 'uploaded', check)
      await attempts.clear(host)
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
