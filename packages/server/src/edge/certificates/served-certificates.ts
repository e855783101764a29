import type { EdgeLog } from '../controller.ts'
import type { Edge } from '../edge.ts'
import type { CertificateSource, CertificateStore, StoredCertificate } from './store.ts'

const SOURCES: readonly CertificateSource[] = ['acme', 'uploaded']

/** The certificates that the edge should serve, one per host, as stored on disk. */
export function createShownCertificates(deps: {
  store: CertificateStore
  edge: Pick<Edge, 'setCertificates'>
  log: EdgeLog
  /** A file being written is new, even if the previous one was about to be deleted. */
  isBeingPut: (host: string, source: CertificateSource) => boolean
}) {
  const { store, edge, log, isBeingPut } = deps
  const shown = new Map<string, StoredCertificate>()
  /** Hosts whose files must still be deleted. Somebody who takes over the name must not get them, so this survives a new certificate. */
  const leaving = new Set<string>()

  async function load(): Promise<void> {
    for (const certificate of await store.list()) shown.set(certificate.host, certificate)
  }

  /** An edge that is not running picks up the certificates when it is back, because they stay wanted. */
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
      if (shown.get(host) !== told.get(host)) continue // the wanted state has changed since; the next pass takes care of it
      const gone = SOURCES.filter((source) => told.get(host)?.source !== source)
      const free = gone.filter((source) => !isBeingPut(host, source))
      for (const source of free) await store.remove(host, source)
      if (free.length === gone.length) leaving.delete(host)
    }
  }

  /** Finishes what `remove` could not, because the edge was not running. */
  async function finishRemovals(): Promise<void> {
    if (leaving.size === 0) return
    try {
      await clearLeaving()
    } catch (err) {
      log.warn({ err, hosts: [...leaving] }, 'Certificates of removed hosts not deleted yet')
    }
  }

  /** A file that was deleted from outside must be removed from HAProxy's list, or HAProxy could not start again. Returns its hosts. */
  async function dropMissingFiles(isBusy: (host: string) => boolean): Promise<string[]> {
    const there = await store.paths()
    const lost = [...shown.values()].filter(({ path, host }) => !there.has(path) && !isBusy(host)).map(({ host }) => host)
    for (const host of lost) shown.delete(host)
    if (lost.length > 0) await serve()
    return lost
  }

  return { load, show, remove, finishRemovals, dropMissingFiles, get: (host: string) => shown.get(host), hosts: () => [...shown.keys()] }
}
