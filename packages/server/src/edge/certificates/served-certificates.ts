import type { EdgeLog } from '../controller.ts'
import type { Edge } from '../edge.ts'
import type { CertificateSource, CertificateStore, StoredCertificate } from './store.ts'

const SOURCES: readonly CertificateSource[] = ['acme', 'uploaded']

/** The certificates that the edge shall show, one a host, as they lie on disk. */
export function createShownCertificates(deps: {
  store: CertificateStore
  edge: Pick<Edge, 'setCertificates'>
  log: EdgeLog
  /** A file that is written right now is a new one, whatever was to become of the one before. */
  isBeingPut: (host: string, source: CertificateSource) => boolean
}) {
  const { store, edge, log, isBeingPut } = deps
  const shown = new Map<string, StoredCertificate>()
  /** Hosts whose files must still go. Whoever takes the name meanwhile must not get them, so this outlasts a new certificate. */
  const leaving = new Set<string>()

  async function load(): Promise<void> {
    for (const certificate of await store.list()) shown.set(certificate.host, certificate)
  }

  /** An edge that is away takes the certificates over by itself when it is back: they stay wanted there. */
  async function serve(): Promise<void> {
    try {
      await edge.setCertificates([...shown.values()])
    } catch (err) {
      log.warn({ err }, 'Certificate not in place yet')
    }
  }

  async function show(certificate: StoredCertificate): Promise<void> {
    shown.set(certificate.host, certificate)
    await serve()
  }

  async function remove(host: string): Promise<void> {
    shown.delete(host)
    leaving.add(host)
    await clearLeaving()
  }

  /** The edge first: a list that names a missing file would keep HAProxy from starting. */
  async function clearLeaving(): Promise<void> {
    const hosts = [...leaving]
    const told = new Map(shown)
    await edge.setCertificates([...told.values()])
    for (const host of hosts) {
      if (shown.get(host) !== told.get(host)) continue // the edge was told something else: the next look sees to it
      const gone = SOURCES.filter((source) => told.get(host)?.source !== source)
      const free = gone.filter((source) => !isBeingPut(host, source))
      for (const source of free) await store.remove(host, source)
      if (free.length === gone.length) leaving.delete(host)
    }
  }

  /** What `remove` could not finish because the edge was away. */
  async function finishRemovals(): Promise<void> {
    if (leaving.size === 0) return
    try {
      await clearLeaving()
    } catch (err) {
      log.warn({ err, hosts: [...leaving] }, 'Certificates of removed hosts not deleted yet')
    }
  }

  /** A file that somebody took away must leave HAProxy's list, or HAProxy could not start again. The answer is whose it was. */
  async function dropMissingFiles(isBusy: (host: string) => boolean): Promise<string[]> {
    const there = await store.paths()
    const lost = [...shown.values()].filter(({ path, host }) => !there.has(path) && !isBusy(host)).map(({ host }) => host)
    for (const host of lost) shown.delete(host)
    if (lost.length > 0) await serve()
    return lost
  }

  return { load, show, remove, finishRemovals, dropMissingFiles, get: (host: string) => shown.get(host), hosts: () => [...shown.keys()] }
}
