import type { Edge, EdgeLog } from '../edge.ts'
import type { CertificateSource, StoredCertificate } from './certificate-files.ts'
import type { CertificateStore } from './kept-certificates.ts'

type Deps = {
  store: Pick<CertificateStore, 'read' | 'remove' | 'removeOtherFiles'>
  edge: Pick<Edge, 'setCertificates'>
  log: EdgeLog
  /** A file being written is new, even if nothing shows it yet. */
  isBeingPut: (host: string, source: CertificateSource) => boolean
}

/** The certificates that the edge should serve, one per host, as stored. */
export function createShownCertificates({ store, edge, log, isBeingPut }: Deps) {
  let shown = new Map<string, StoredCertificate>()
  let version = -1
  /** There may be files of hosts that have no certificate any more: also after a start, because the last process may have been killed. */
  let areFilesLeft = true

  /** What is stored, and not yet at the edge. Returns the hosts of which something is different. */
  async function take(): Promise<string[]> {
    const { number, certificates } = await store.read()
    if (number === version) return []
    version = number
    const before = shown
    shown = new Map(certificates.map((certificate) => [certificate.host, certificate]))
    const hosts = [...new Set([...before.keys(), ...shown.keys()])]
    return hosts.filter((host) => before.get(host)?.fingerprint !== shown.get(host)?.fingerprint)
  }

  /** Reads what changed, also at other nodes, and serves it. Returns its hosts. */
  async function follow(): Promise<string[]> {
    const hosts = await take()
    if (hosts.length > 0) {
      areFilesLeft = true
      await serve()
    }
    return hosts
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
    await store.remove(host)
    shown.delete(host)
    areFilesLeft = true
    await removeFiles()
  }

  /** The edge first: a list that names a missing file would keep HAProxy from starting. */
  async function removeFiles(): Promise<void> {
    const told = [...shown.values()]
    await edge.setCertificates(told)
    const isWanted = (host: string, source: CertificateSource) => shown.get(host)?.source === source || isBeingPut(host, source)
    areFilesLeft = !(await store.removeOtherFiles(new Set(told.map(({ path }) => path)), isWanted))
  }

  /** Finishes what `remove` could not, because the edge was not running, and what other nodes removed. */
  async function finishRemovals(): Promise<void> {
    if (!areFilesLeft) return
    try {
      await removeFiles()
    } catch (err) {
      log.warn({ err }, 'Certificates of removed hosts not deleted yet')
    }
  }

  return { take, follow, show, remove, finishRemovals, get: (host: string) => shown.get(host), hosts: () => [...shown.keys()] }
}
