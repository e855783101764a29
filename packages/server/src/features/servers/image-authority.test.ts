import { randomBytes, X509Certificate } from 'node:crypto'
import { expect, it } from 'vitest'
import { openTestDatabase } from '../../../testing/harness/test-database.ts'
import { createSecretBox } from '../../lib/secret-box.ts'
import { issuedFor } from '../../lib/x509.ts'
import { createImageAuthority } from './image-authority.ts'

it('is made once, however many ask at first, and its key and password are sealed', async () => {
  await using test = await openTestDatabase()
  const deps = { db: test.db, secrets: createSecretBox(randomBytes(32)), instance: 'abc', now: () => new Date() }
  const [one, two] = await Promise.all([createImageAuthority(deps)(), createImageAuthority(deps)()])
  expect(two).toEqual(one)
  expect(await createImageAuthority(deps)()).toEqual(one)
  expect(one.password).toMatch(/^[0-9a-f]{64}$/)
  const rows = JSON.stringify(await test.db.selectFrom('image_server').selectAll().execute())
  expect(rows).not.toContain('PRIVATE KEY')
  expect(rows).not.toContain(one.password)
})

it('issues certificates for an address, and is an authority itself', async () => {
  await using test = await openTestDatabase()
  const { authority } = await createImageAuthority({
    db: test.db,
    secrets: createSecretBox(randomBytes(32)),
    instance: 'abc',
    now: () => new Date(),
  })()
  const root = new X509Certificate(authority.certificate)
  const times = { notBefore: new Date(), notAfter: new Date(Date.now() + 3600_000) }
  const leaf = new X509Certificate(issuedFor(authority, { address: '198.51.100.1', ...times }).certificate)
  expect([root.ca, leaf.ca]).toEqual([true, false])
  expect(leaf.checkIssued(root) && leaf.verify(root.publicKey)).toBe(true)
  expect(leaf.checkIP('198.51.100.1')).toBe('198.51.100.1')
  expect(leaf.checkIP('198.51.100.2')).toBeUndefined()
})
