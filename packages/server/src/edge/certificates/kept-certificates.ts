import type { SecretBox } from '../../lib/secret-box.ts'
import { createSemaphore } from '../../lib/semaphore.ts'
import type { CertificateTable } from '../../store/certificate-tables.ts'
import type { Db } from '../../store/database.ts'
import type { EdgeLog } from '../edge.ts'
import type { Adopt } from './adopt-files.ts'
import type { CertificateFiles, CertificatePem, CertificateSource, StoredCertificate } from './certificate-files.ts'
import {
  certificateKeys,
  certificatesAfter,
  certificatesRevision,
  deleteCertificates,
  findCertificate,
  putCertificate,
} from './certificates-store.ts'
import { aboutCertificate } from './sealed-keys.ts'

type Deps = {
  db: Db
  secrets: Pick<SecretBox, 'seal' | 'open'>
  files: CertificateFiles
  adopt: Adopt
  log: EdgeLog
  now: () => Date
}
type Known = { readonly certificate: StoredCertificate; readonly revision: number }
/** One certificate for each host, and a number that is another one when something has changed. */
type Version = { readonly number: number; readonly certificates: StoredCertificate[] }
type Key = { readonly host: string; readonly source: CertificateSource }

const SOURCES: readonly CertificateSource[] = ['acme', 'uploaded']
/** How long a certificate of another node may be there before the row of its domain says so. */
const ARRIVING_MS = 60_000

/** The certificates in the database, and the files that HAProxy reads, which are written from there on every node. */
export function createCertificateStore(deps: Deps) {
  const { db, secrets, files, adopt } = deps
  const known = createKnownCertificates(deps)
  /** A row and its file are written together, so that an older row never overwrites the file of a newer one. */
  const oneAtATime = createSemaphore(1)
  let changes = 1

  /** Until the files of an earlier version are taken over, they are what counts. */
  async function read(): Promise<Version> {
    if (!(await adopt())) return { number: 0, certificates: await files.list() }
    return await oneAtATime.run(async () => {
      if (await known.refresh()) changes += 1
      return { number: changes, certificates: known.forHosts() }
    })
  }

  async function put(host: string, source: CertificateSource, pem: CertificatePem): Promise<StoredCertificate> {
    await adopt({ orThrow: true })
    const file = files.prepare(host, source, pem)
    const { chain, directory = null } = pem
    const row = { host, source, chain, sealed_key: secrets.seal(pem.key, aboutCertificate({ host, source })), directory }
    return await oneAtATime.run(async () => {
      const revision = await db.transaction(async (tx) => await putCertificate(tx, row))
      changes += 1
      const certificate = await files.write(file) // if that fails, the next read writes it
      known.add({ certificate, revision })
      return certificate
    })
  }

  /** Those that this node knows of. Their files go when the edge does not use them any more. */
  async function remove(host: string): Promise<void> {
    await oneAtATime.run(async () => {
      await db.transaction(async (tx) => await deleteCertificates(tx, host, known.revisionOf(host)), { mayUseReserve: true })
      known.forget(host)
      changes += 1
    })
  }

  /** Only if nothing is missing: a file whose certificate cannot be read from the database may still be good. Returns whether it did. */
  async function removeOtherFiles(...[wanted, isKept]: Parameters<CertificateFiles['removeOthers']>): Promise<boolean> {
    return await oneAtATime.run(async () => {
      if (!known.isWhole()) return false
      await files.removeOthers(new Set([...wanted, ...known.forHosts().map(({ path }) => path)]), isKept)
      return true
    })
  }

  return { read, list: async () => (await read()).certificates, put, remove, removeOtherFiles, isArriving: known.isArriving }
}

export type CertificateStore = ReturnType<typeof createCertificateStore>

/** What this node has read from the database, and written into its files. */
function createKnownCertificates({ db, secrets, files, log, now }: Deps) {
  const known = new Map<string, Known>()
  const arrivals = createArrivals(now)
  let seen = -1
  /** Whether all files could be written. */
  let isWhole = false

  const forHosts = () => oneForEachHost([...known.values()].map(({ certificate }) => certificate))
  const namesOf = (host: string) => SOURCES.map((source) => nameOf({ host, source }))

  /** Returns whether it is there. */
  async function writeFile(row: CertificateTable): Promise<boolean> {
    try {
      const certificate = await files.write(files.prepare(row.host, row.source, pemOf(row, secrets)))
      known.set(nameOf(row), { certificate, revision: row.revision })
      return true
    } catch (err) {
      log.warn({ host: row.host, err }, 'Certificate not written for HAProxy')
      return false
    }
  }

  /** Reads what is new, also from other nodes, and writes the files that are missing. Returns whether anything changed. */
  async function refresh(): Promise<boolean> {
    const revision = await certificatesRevision(db)
    const there = await files.paths()
    const missing = forHosts().filter(({ path }) => !there.has(path))
    if (revision === seen && missing.length === 0) return false
    const changed = await certificatesAfter(db, seen)
    const again = await Promise.all(missing.map(async (certificate) => await findCertificate(db, certificate)))
    isWhole = true
    for (const row of [...changed, ...again]) if (row && !(await writeFile(row))) isWhole = false
    if (seen !== -1) for (const { host } of changed) arrivals.note(host)
    const left = new Set((await certificateKeys(db)).map(nameOf))
    for (const name of known.keys()) if (!left.has(name)) known.delete(name)
    if (isWhole) seen = revision // otherwise the next time tries again
    return true
  }

  function add(added: Known): void {
    known.set(nameOf(added.certificate), added)
    if (seen === added.revision - 1) seen = added.revision
  }

  return {
    refresh,
    forHosts,
    add,
    forget: (host: string) => namesOf(host).forEach((name) => known.delete(name)),
    revisionOf: (host: string) => Math.max(...namesOf(host).map((name) => known.get(name)?.revision ?? 0)),
    isWhole: () => isWhole,
    isArriving: arrivals.isArriving,
  }
}

/** The hosts for which another node has stored a certificate a moment ago. */
function createArrivals(now: () => Date) {
  const arrivals = new Map<string, number>()
  return {
    note: (host: string) => void arrivals.set(host, now().getTime()),
    isArriving: (host: string) => now().getTime() - (arrivals.get(host) ?? Number.NEGATIVE_INFINITY) < ARRIVING_MS,
  }
}

function pemOf(row: CertificateTable, secrets: Pick<SecretBox, 'open'>): CertificatePem {
  const key = secrets.open(row.sealed_key, aboutCertificate(row))
  return { chain: row.chain, key, ...(row.directory !== null && { directory: row.directory }) }
}

function nameOf({ host, source }: Key): string {
  return `${source} ${host}`
}

/** One for each host: what somebody uploaded replaces ours. */
function oneForEachHost(certificates: Iterable<StoredCertificate>): StoredCertificate[] {
  const found = new Map<string, StoredCertificate>()
  for (const certificate of certificates)
    if (certificate.source === 'uploaded' || !found.has(certificate.host)) found.set(certificate.host, certificate)
  return [...found.values()]
}
