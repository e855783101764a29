import { checkUpload } from './certificate-check.ts'
import type { CertificateIssuer } from './certificate-issuer.ts'
import { renewAt } from './certificate-schedule.ts'
import { type CertificateStatus, certificateStatus } from './certificate-status.ts'
import type { CertificateStore, StoredCertificate } from './certificate-store.ts'
import type { Edge } from './edge.ts'
import type { EdgeLog } from './edge-controller.ts'
import { createHostWork } from './host-work.ts'
import type { IssueAttempts } from './issue-attempts.ts'

type CertificateEvents = { onStatus(host: string, status: CertificateStatus): void }

export type CertificatesDeps = {
  store: CertificateStore
  attempts: IssueAttempts
  issuer: CertificateIssuer
  edge: Pick<Edge, 'setCertificates'>
  events: CertificateEvents
  log: EdgeLog
  now: () => Date
  everyMs?: number
  atOnce?: number
}

/** Keeps every wanted host in a valid certificate. Nothing waits for it: until one is there, the placeholder answers. */
export function createCertificates(deps: CertificatesDeps) {
  const { store, attempts, issuer, edge, events, log, now, everyMs = 30_000, atOnce = 4 } = deps
  const stored = new Map<string, StoredCertificate>()
  const onFailure = (host: string, err: unknown) => log.warn({ host, err }, 'attempt at a certificate not recorded')
  const work = createHostWork({ isDue, run: issue, onFailure, everyMs, atOnce })
  const ready = open()
  ready.catch((err: unknown) => log.warn({ err }, 'certificates not loaded'))

  async function open(): Promise<void> {
    for (const certificate of await store.list()) stored.set(certificate.host, certificate)
    await attempts.load()
  }

  function isDue(host: string): boolean {
    const certificate = stored.get(host)
    if (certificate?.source === 'uploaded') return false
    if (certificate !== undefined && now() < renewAt(certificate)) return false
    const next = attempts.get(host)?.nextTryAt
    return next === undefined || now().getTime() >= next
  }

  async function issue(host: string): Promise<void> {
    report(host)
    const certificate = await issuer.tryIssue(host)
    // while it was ordered, somebody may have brought their own
    if (certificate !== undefined && stored.get(host)?.source !== 'uploaded') {
      stored.set(host, certificate)
      await serve()
    }
    events.onStatus(host, status(host, { isWorking: false }))
  }

  /** An edge that is away takes the certificates over by itself when it is back: they stay wanted there. */
  async function serve(): Promise<void> {
    try {
      await edge.setCertificates([...stored.values()])
    } catch (err) {
      log.warn({ err }, 'certificate not in place yet')
    }
  }

  function status(host: string, { isWorking } = { isWorking: work.isWorking(host) }): CertificateStatus {
    const known = { certificate: stored.get(host), attempt: attempts.get(host) }
    return certificateStatus({ ...known, isWorking, isWanted: work.isWanted(host), now: now() })
  }

  function report(host: string): void {
    events.onStatus(host, status(host))
  }

  /** The hosts that shall have a certificate of ours. Others keep what they have until `forget`. */
  async function want(hosts: readonly string[]): Promise<void> {
    await ready
    work.want(hosts)
  }

  /** Tries now instead of at the next planned time. The authority's own limit is waited for all the same. */
  async function checkNow(host: string): Promise<CertificateStatus> {
    await ready
    const attempt = attempts.get(host)
    if (attempt !== undefined && !attempt.isRateLimited) await attempts.set(host, { ...attempt, nextTryAt: now().getTime() })
    work.begin(host)
    await work.finished(host)
    return status(host)
  }

  /** Takes a certificate that somebody brings. Undefined when it serves, otherwise a sentence that says why not. */
  async function upload(host: string, pem: { certificate: string; key: string }): Promise<string | undefined> {
    await ready
    const check = checkUpload({ host, ...pem, now: now() })
    if ('problem' in check) return check.problem
    stored.set(host, await store.put(host, 'uploaded', check))
    await attempts.clear(host)
    await serve()
    report(host)
    return undefined
  }

  /** For a host that is gone, or that shall have our certificate instead of an uploaded one. */
  async function forget(host: string): Promise<void> {
    await ready
    await work.finished(host)
    stored.delete(host)
    await attempts.clear(host)
    // the edge first: a list that names a missing file would keep HAProxy from starting
    await edge.setCertificates([...stored.values()])
    await store.remove(host, 'acme')
    await store.remove(host, 'uploaded')
    report(host)
    work.look()
  }

  /** Every host that has a certificate, or had an attempt at one. */
  async function hosts(): Promise<string[]> {
    await ready
    return [...new Set([...stored.keys(), ...attempts.hosts()])]
  }

  return { want, hosts, status: (host: string) => status(host), checkNow, upload, forget, close: work.close }
}

export type Certificates = ReturnType<typeof createCertificates>
