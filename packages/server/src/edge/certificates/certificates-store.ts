import type { Insertable } from 'kysely'
import type { CertificateAttemptTable, CertificateTable } from '../../store/certificate-tables.ts'
import type { Reader, Tx } from '../../store/database.ts'
import { readFact, writeFact } from '../../store/facts.ts'

type CertificateKey = Pick<CertificateTable, 'host' | 'source'>
type NewCertificate = Omit<CertificateTable, 'revision'>

/** Grow with each change of the certificates, and of the attempts. */
const REVISION = 'certificates_revision'
const ATTEMPTS_REVISION = 'certificate_attempts_revision'
/** The files of an earlier version were taken over into the database. */
const ADOPTED = 'certificate_files_adopted'
const ACCOUNT = 'account'

async function readNumber(db: Reader, name: string): Promise<number> {
  return Number((await readFact(db, name)) ?? 0)
}

async function grow(tx: Tx, name: string): Promise<number> {
  const next = (await readNumber(tx, name)) + 1
  await writeFact(tx, name, String(next))
  return next
}

export async function certificatesRevision(db: Reader): Promise<number> {
  return await readNumber(db, REVISION)
}

export async function attemptsRevision(db: Reader): Promise<number> {
  return await readNumber(db, ATTEMPTS_REVISION)
}

export async function certificatesAfter(db: Reader, revision: number): Promise<CertificateTable[]> {
  return await db.selectFrom('certificate').selectAll().where('revision', '>', revision).orderBy('host').execute()
}

export async function findCertificate(db: Reader, { host, source }: CertificateKey): Promise<CertificateTable | undefined> {
  return await db.selectFrom('certificate').selectAll().where('host', '=', host).where('source', '=', source).executeTakeFirst()
}

export async function certificateKeys(db: Reader): Promise<CertificateKey[]> {
  return await db.selectFrom('certificate').select(['host', 'source']).execute()
}

/** Returns its revision. */
export async function putCertificate(tx: Tx, { host, source, ...rest }: NewCertificate): Promise<number> {
  const row = { ...rest, revision: await grow(tx, REVISION) }
  await tx
    .insertInto('certificate')
    .values({ host, source, ...row })
    .onConflict((conflict) => conflict.columns(['host', 'source']).doUpdateSet(row))
    .execute()
  return row.revision
}

/** Those up to a revision: one that another node has stored since then stays. */
export async function deleteCertificates(tx: Tx, host: string, upTo: number): Promise<void> {
  const { numDeletedRows } = await tx.deleteFrom('certificate').where('host', '=', host).where('revision', '<=', upTo).executeTakeFirst()
  if (numDeletedRows > 0n) await grow(tx, REVISION)
}

export async function listAttempts(db: Reader): Promise<CertificateAttemptTable[]> {
  return await db.selectFrom('certificate_attempt').selectAll().orderBy('host').execute()
}

export async function putAttempt(tx: Tx, { host, ...row }: Insertable<CertificateAttemptTable>): Promise<number> {
  await tx
    .insertInto('certificate_attempt')
    .values({ host, ...row })
    .onConflict((conflict) => conflict.column('host').doUpdateSet(row))
    .execute()
  return await grow(tx, ATTEMPTS_REVISION)
}

type Retry = Pick<CertificateAttemptTable, 'host' | 'next_try_at'> & { directory: string }

/** Moves only the time of the next attempt, unless the current authority limits the rate. Returns what is known then. */
export async function moveAttempt(tx: Tx, { host, next_try_at, directory }: Retry) {
  const { numUpdatedRows } = await tx
    .updateTable('certificate_attempt')
    .set({ next_try_at })
    .where('host', '=', host)
    .where((eb) => eb.or([eb('is_rate_limited', '=', 0), eb('directory', '<>', directory)]))
    .executeTakeFirst()
  const attempt = await tx.selectFrom('certificate_attempt').selectAll().where('host', '=', host).executeTakeFirst()
  return { attempt, revision: numUpdatedRows > 0n ? await grow(tx, ATTEMPTS_REVISION) : undefined }
}

export async function deleteAttempt(tx: Tx, host: string): Promise<number> {
  await tx.deleteFrom('certificate_attempt').where('host', '=', host).execute()
  return await grow(tx, ATTEMPTS_REVISION)
}

export async function findAccountKey(db: Reader): Promise<string | undefined> {
  const row = await db.selectFrom('acme_account').select('sealed_key').where('name', '=', ACCOUNT).executeTakeFirst()
  return row?.sealed_key
}

export async function insertAccountKey(tx: Tx, sealed: string): Promise<void> {
  await tx.insertInto('acme_account').values({ name: ACCOUNT, sealed_key: sealed }).execute()
}

export async function areFilesAdopted(db: Reader): Promise<boolean> {
  return (await readFact(db, ADOPTED)) !== undefined
}

export async function noteFilesAdopted(tx: Tx): Promise<void> {
  await writeFact(tx, ADOPTED, 'yes')
}
