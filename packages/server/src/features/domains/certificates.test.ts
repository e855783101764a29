import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { openKeptCertificates } from '../../../testing/harness/kept-certificates.ts'
import { ownCertificate } from '../../../testing/harness/own-certificate.ts'
import { addApp } from '../../../testing/harness/stored-app.ts'
import { openTestDatabase } from '../../../testing/harness/test-database.ts'
import type { DomainRow } from '../../domain/rows.ts'
import { createAccountPause } from '../../edge/certificates/account-pause.ts'
import { createCertificates } from '../../edge/certificates/certificates.ts'
import { readSettings, writeSetting } from '../settings/store.ts'
import { createDomainCertificates } from './certificates.ts'
import { deleteDomain, findDomainByHost, insertDomain, newDomainRow } from './store.ts'

const mayStill = async () => undefined

type Issuer = Parameters<typeof createCertificates>[0]['issuer']
type CertificateStore = ReturnType<typeof openKeptCertificates>['store']

/** A real database and certificate store, and an authority of the test's own. */
async function openDomains(issuerOf: (store: CertificateStore) => Issuer) {
  const test = await openTestDatabase()
  const dir = await mkdtemp(join(tmpdir(), 'berth-certificates-'))
  const [log, now, db] = [pino({ level: 'silent' }), () => new Date(), test.db]
  const { store, attempts } = openKeptCertificates(db, dir)
  const certificates = createCertificates({
    store,
    attempts,
    issuer: issuerOf(store),
    pause: createAccountPause({ attempts, directory: () => '', now: () => new Date() }),
    directory: () => 'https://ca.test/dir',
    edge: { setCertificates: async () => undefined, isRefused: () => false },
    events: { onStatus: () => undefined },
    log,
    now,
  })
  const checkDns = async () => ({ dnsStatus: 'ok', dnsError: null, found: [] }) as const
  const readBase = async () => undefined
  const domains = createDomainCertificates({
    db,
    now,
    log,
    certificates: () => certificates,
    checkDns,
    readSettings,
    readBase,
  })
  const app = await addApp(db, 'a@example.test')
  const add = async (host: string) =>
    await db.transaction(async (tx) => await insertDomain(tx, newDomainRow(app.id, host, { generated: false, needsDns: true, at: now() })))
  const rowOf = async (host: string) => {
    const row = await findDomainByHost(db, host)
    if (!row) throw new Error(`${host} is there`)
    return row
  }
  const bring = async (row: DomainRow) => {
    const { chain, key } = ownCertificate(row.host)
    await domains.useOwn(row, { certificate: chain, privateKey: key }, mayStill)
  }
  async function close(): Promise<void> {
    await certificates.close()
    await test[Symbol.asyncDispose]()
    await rm(dir, { recursive: true })
  }
  return { db, domains, certificates, add, rowOf, bring, [Symbol.asyncDispose]: close }
}

it('a slow order only blocks its own host', async () => {
  const answer = Promise.withResolvers<void>()
  const ordered: string[] = []
  await using opened = await openDomains((store) => ({
    /** Takes its time. */
    tryIssue: async (host: string) => {
      ordered.push(host)
      await answer.promise
      return await store.put(host, 'acme', ownCertificate(host, 90))
    },
  }))
  const { db, domains, add, rowOf, bring } = opened

  const turn = { signal: new AbortController().signal, canBeVisited: false }
  await db.transaction(async (tx) => await writeSetting(tx, 'acmeEmail', 'admin@example.test'))
  await add('slow.test')
  await domains.wantAll(turn)
  await expect.poll(() => ordered, { timeout: 30_000 }).toEqual(['slow.test'])
  await bring(await rowOf('slow.test'))
  let isDropped = false
  const dropped = domains.dropOwn(await rowOf('slow.test'), mayStill).then(() => (isDropped = true))
  await add('other.test')
  await bring(await rowOf('other.test'))
  await domains.wantAll(turn)
  await domains.dropOwn(await rowOf('other.test'), mayStill)
  expect((await rowOf('slow.test')).own_certificate).toBe(0)
  expect(isDropped).toBe(false)
  answer.resolve()
  await dropped
})

it('a domain that was removed meanwhile changes nothing for the next owner of its host', async () => {
  await using opened = await openDomains(() => ({ tryIssue: async () => await Promise.reject(new Error('nothing is ordered here')) }))
  const { db, domains, certificates, add, rowOf, bring } = opened
  const old = await add('moved.test')
  await bring(old)
  const stale = await rowOf('moved.test')
  await db.transaction(async (tx) => await deleteDomain(tx, old.id))
  const next = await add('moved.test')
  await expect(bring(stale)).rejects.toMatchObject({ code: 'domain_not_found' })
  expect((await rowOf('moved.test')).own_certificate).toBe(0)
  await bring(next)
  await expect(domains.dropOwn(stale, mayStill)).rejects.toMatchObject({ code: 'domain_not_found' })
  expect((await rowOf('moved.test')).own_certificate).toBe(1)
  expect(certificates.isUploaded('moved.test')).toBe(true)
})
