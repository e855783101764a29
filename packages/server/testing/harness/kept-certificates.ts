import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createAccountKey } from '../../src/edge/certificates/account-key.ts'
import { createAdoptFiles } from '../../src/edge/certificates/adopt-files.ts'
import { createIssueAttempts } from '../../src/edge/certificates/attempts.ts'
import { createCertificateFiles } from '../../src/edge/certificates/certificate-files.ts'
import { createCertificateStore } from '../../src/edge/certificates/kept-certificates.ts'
import { createOrderBudget } from '../../src/edge/certificates/order-budget.ts'
import { createSecretBox } from '../../src/lib/secret-box.ts'
import type { Db } from '../../src/store/database.ts'
import { openTestDatabase } from './test-database.ts'
import type { TestEdge } from './test-edge.ts'

const secrets = createSecretBox(randomBytes(32))

/** What one node knows of the certificates in a database; `dir` is the directory of its edge. */
export function openKeptCertificates(db: Db, dir: string, now = () => new Date()) {
  const log = { info: () => undefined, warn: () => undefined }
  const files = createCertificateFiles({ dir: join(dir, 'certs') })
  const adopt = createAdoptFiles({ db, secrets, files, dir, log })
  return {
    secrets,
    files,
    store: createCertificateStore({ db, secrets, files, adopt, log, now }),
    attempts: createIssueAttempts({ db, adopt }),
    budget: createOrderBudget({ db, now, sharedName: async () => undefined }),
    accountKey: createAccountKey({ db, secrets, adopt }),
  }
}

const databases = new WeakMap<TestEdge, Db>()

/** Of an edge with a database of its own, which is the same one after a restart of the control plane. */
export async function keptCertificatesOf(edge: TestEdge, now: () => Date) {
  const opened = databases.has(edge) ? undefined : await openTestDatabase()
  if (opened) {
    databases.set(edge, opened.db)
    onTestFinished(async () => await opened[Symbol.asyncDispose]())
  }
  const db = databases.get(edge)
  if (!db) throw new Error('the edge has a database by now')
  return openKeptCertificates(db, edge.paths.dir, now)
}
