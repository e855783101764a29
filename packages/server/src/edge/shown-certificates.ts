import type { CertificateStore, StoredCertificate } from './certificate-store.ts'
import type { Edge } from './edge.ts'
import type { EdgeLog } from './edge-controller.ts'

/** The certificates that the edge shall show, one a host, as they lie on disk. */
export function createShownCertificates(deps: { store: CertificateStore; edge: Pick<Edge, 'setCertificates'>; log: EdgeLog }) {
  const { store, edge, log } = deps
  const shown = new Map<string, StoredCertificate>()

  async function load(): Promise<void> {
    for (const certificate of await store.list()) shown.set(certificate.host, certificate)
  }

  /** An edge that is away takes the certificates over by itself when it is back: they stay wanted there. */
  async function serve(): Promise<void> {
    try {
      await edge.setCertificates([...shown.values()])
    } catch (err) {
      log.warn({ err }, 'certificate not in place yet')
    }
  }

  async function show(certificate: StoredCertificate): Promise<void> {
    shown.set(certificate.host, certificate)
    await serve()
  }

  async function remove(host: string): Promise<void> {
    shown.delete(host)
    // the edge first: a list that names a missing file would keep HAProxy from starting
    await edge.setCertificates([...shown.values()])
    await store.remove(host, 'acme')
    await store.remove(host, 'uploaded')
  }

  /** A file that somebody took away must leave HAProxy's list, or HAProxy could not start again. The answer is whose it was. */
  async function missLost(isBusy: (host: string) => boolean): Promise<string[]> {
    const there = await store.paths()
    const lost = [...shown.values()].filter(({ path, host }) => !there.has(path) && !isBusy(host)).map(({ host }) => host)
    for (const host of lost) shown.delete(host)
    if (lost.length > 0) await serve()
    return lost
  }

  return { load, show, remove, missLost, get: (host: string) => shown.get(host), hosts: () => [...shown.keys()] }
}
