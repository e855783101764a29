import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { ownCertificate } from '../../../testing/harness/own-certificate.ts'
import { addApp } from '../../../testing/harness/stored-app.ts'
import { openTestDatabase } from '../../../testing/harness/test-database.ts'
import { createIssueAttempts } from '../../edge/certificates/attempts.ts'
import { createCertificates } from '../../edge/certificates/certificates.ts'
import { createCertificateStore } from '../../edge/certificates/store.ts'
import { readSettings, writeSetting } from '../settings/store.ts'
import { createDomainCertificates } from './certificates.ts'
import { findDomainByHost, insertDomain, newDomainRow } from './store.ts'

it('a slow order only blocks its own host', async () => {
  await using test = await openTestDatabase()
  const dir = await mkdtemp(join(tmpdir(), 'berth-certificates-'))
  const [log, now, db] = [pino({ level: 'silent' }), () => new Date(), test.db]
  const store = createCertificateStore({ dir })
  const answer = Promise.withResolvers<void>()
  const ordered: string[] = []
  /** An authority that takes its time. */
  const issuer = {
    tryIssue: async (host: string) => {
      ordered.push(host)
      await answer.promise
      return await store.put(host, 'acme', ownCertificate(host, 90))
    },
  }
  const certificates = createCertificates({
    store,
    attempts: createIssueAttempts({ path: join(dir, 'attempts.json') }),
    issuer,
    directory: () => 'https://ca.test/dir',
    edge: { setCertificates: async () => undefined, isRefused: () => false },
    events: { onStatus: () => undefined },
    log,
    now,
  })
  const checkDns = async () => ({ dnsStatus: 'ok', dnsError: null, found: [] }) as const
  const readBase = async () => undefined
  const domains = createDomainCertificates({ db, now, log, certificates: () => certificates, checkDns, readSettings, readBase })
  const app = await addApp(db, 'a@example.test')
  const add = async (host: string) =>
    await db.transaction(async (tx) => await insertDomain(tx, newDomainRow(app.id, host, { generated: false, needsDns: true, at: now() })))
  const rowOf = async (host: string) => {
    const row = await findDomainByHost(db, host)
    if (!row) throw new Error(`${host} is there`)
    return row
  }
  const bring = async (host: string) => {
    const { chain, key } = ownCertificate(host)
    await domains.useOwn(await rowOf(host), { certificate: chain, privateKey: key })
  }

  const turn = { signal: new AbortController().signal, canBeVisited: false }
  await db.transaction(async (tx) => await writeSetting(tx, 'acmeEmail', 'admin@example.test'))
  await add('slow.test')
  await domains.wantAll(turn)
  await expect.poll(() => ordered, { timeout: 30_000 }).toEqual(['slow.test'])
  await bring('slow.test')
  let isDropped = false
  const dropped = domains.dropOwn(await rowOf('slow.test')).then(() => (isDropped = true))
  await add('other.test')
  await bring('other.test')
  await domains.wantAll(turn)
  await domains.dropOwn(await rowOf('other.test'))
  expect((await rowOf('slow.test')).own_certificate).toBe(0)
  expect(isDropped).toBe(false)
  answer.resolve()
  await dropped
  await certificates.close()
  await rm(dir, { recursive: true })
})
