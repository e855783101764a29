import { join } from 'node:path'
import type { SecretBox } from '../../lib/secret-box.ts'
import type { Db, Tx } from '../../store/database.ts'
import type { EdgeLog } from '../edge.ts'
import { readIfThere } from '../map-files.ts'
import { attemptRow } from './attempts.ts'
import type { CertificateFiles, CertificatePem, StoredCertificate } from './certificate-files.ts'
import { areFilesAdopted, findAccountKey, insertAccountKey, noteFilesAdopted, putAttempt, putCertificate } from './certificates-store.ts'
import { parseAttempts } from './old-attempts.ts'
import { ABOUT_ACCOUNT, aboutCertificate } from './sealed-keys.ts'

type Deps = { db: Db; secrets: Pick<SecretBox, 'seal'>; files: Pick<CertificateFiles, 'list'>; dir: string; log: EdgeLog }
type Found = { certificates: (StoredCertificate & Pick<CertificatePem, 'chain' | 'key'>)[]; attempts: string; account: string | undefined }

/**
 * Takes the certificates, the attempts and the account of an earlier version, which were files, into the database: once, in one
 * transaction. The files stay, because the earlier version may come back if its update is undone. Returns whether it is done: on a full
 * disk it is tried again later.
 */
export function createAdoptFiles({ db, secrets, files, dir, log }: Deps) {
  let isDone = false

  async function find(): Promise<Found> {
    const certificates: Found['certificates'] = []
    for (const stored of await files.list()) {
      const text = await readIfThere(stored.path)
      if (text !== undefined) certificates.push({ ...stored, ...partsOf(text) })
    }
    const attempts = (await readIfThere(join(dir, 'attempts.json'))) ?? ''
    return { certificates, attempts, account: await readIfThere(join(dir, 'acme-account.pem')) }
  }

  async function store(tx: Tx, { certificates, attempts, account }: Found): Promise<void> {
    for (const { host, source, chain, key, directory = null } of certificates)
      await putCertificate(tx, { host, source, chain, sealed_key: secrets.seal(key, aboutCertificate({ host, source })), directory })
    for (const [host, attempt] of new Map(parseAttempts(attempts))) if (attempt) await putAttempt(tx, attemptRow(host, attempt))
    if (account !== undefined && (await findAccountKey(tx)) === undefined) await insertAccountKey(tx, secrets.seal(account, ABOUT_ACCOUNT))
    await noteFilesAdopted(tx)
  }

  return async function adopt({ orThrow = false } = {}): Promise<boolean> {
    if (isDone || (await areFilesAdopted(db))) return (isDone = true)
    const found = await find()
    try {
      await db.transaction(async (tx) => void ((await areFilesAdopted(tx)) || (await store(tx, found))))
      if (found.certificates.length > 0) log.info({ certificates: found.certificates.length }, 'Certificates taken into the database')
      return (isDone = true)
    } catch (err) {
      if (orThrow) throw err
      log.warn({ err }, 'Certificates not taken into the database yet')
      return false
    }
  }
}

export type Adopt = ReturnType<typeof createAdoptFiles>

/** The certificates of a PEM file, in order, and its key. */
function partsOf(text: string): { chain: string; key: string } {
  const [, ...bodies] = text.split('-----BEGIN ')
  const isCertificate = (body: string) => body.startsWith('CERTIFICATE-----')
  const joined = (parts: readonly string[]) => parts.map((body) => `-----BEGIN ${body}`).join('')
  return { chain: joined(bodies.filter(isCertificate)), key: joined(bodies.filter((body) => !isCertificate(body))) }
}
