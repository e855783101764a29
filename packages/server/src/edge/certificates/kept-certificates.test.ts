import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openKeptCertificates } from '../../../testing/harness/kept-certificates.ts'
import { ownCertificate } from '../../../testing/harness/own-certificate.ts'
import { openTestDatabase } from '../../../testing/harness/test-database.ts'

let root: string
let test: Awaited<ReturnType<typeof openTestDatabase>>
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'berth-kept-'))
  test = await openTestDatabase()
})
afterEach(async () => {
  await test[Symbol.asyncDispose]()
  await rm(root, { recursive: true, force: true })
})

const nodeIn = (name: string) => openKeptCertificates(test.db, join(root, name))
const filesIn = async (name: string) => (await readdir(join(root, name, 'certs'))).toSorted()
const textIn = async (name: string, file: string) => await readFile(join(root, name, 'certs', file), 'utf8')
const hostsOf = (all: readonly { host: string; source: string }[]) => all.map(({ host, source }) => `${host} ${source}`).toSorted()

it('what one node stores, every node has in its files, with its key', async () => {
  const [a, b] = [nodeIn('a'), nodeIn('b')]
  await a.store.put('one.test', 'acme', { ...ownCertificate('one.test'), directory: 'https://ca.test/dir' })
  expect(await b.store.list()).toMatchObject([{ host: 'one.test', source: 'acme', directory: 'https://ca.test/dir' }])
  expect(await textIn('b', 'one.test.acme.pem')).toBe(await textIn('a', 'one.test.acme.pem'))
  expect((await stat(join(root, 'b', 'certs', 'one.test.acme.pem'))).mode & 0o777).toBe(0o600)
  const { number } = await b.store.read()
  await a.store.put('one.test', 'acme', ownCertificate('one.test'))
  await a.store.put('two.test', 'acme', ownCertificate('two.test'))
  await a.store.put('two.test', 'uploaded', ownCertificate('two.test'))
  const found = await b.store.read()
  expect([found.number > number, hostsOf(found.certificates)]).toEqual([true, ['one.test acme', 'two.test uploaded']])
  expect(await textIn('b', 'one.test.acme.pem')).toBe(await textIn('a', 'one.test.acme.pem'))
  expect((await b.store.read()).number).toBe(found.number)
})

it('the key is in the database only sealed', async () => {
  const { key, chain } = ownCertificate('one.test')
  await nodeIn('a').store.put('one.test', 'uploaded', { key, chain })
  const rows = await test.db.selectFrom('certificate').selectAll().execute()
  const [, secret = 'none'] = key.split('\n')
  expect([rows.length, JSON.stringify(rows).includes(secret), JSON.stringify(rows).includes('PRIVATE')]).toEqual([1, false, false])
})

it('what one node removes is gone everywhere, except what another one has stored since', async () => {
  const [a, b] = [nodeIn('a'), nodeIn('b')]
  expect(await a.store.list()).toEqual([])
  for (const host of ['gone.test', 'new.test']) await a.store.put(host, 'uploaded', ownCertificate(host))
  expect(await b.store.list()).toHaveLength(2)
  await b.store.put('new.test', 'uploaded', ownCertificate('new.test'))
  for (const host of ['gone.test', 'new.test']) await a.store.remove(host)
  for (const node of [a, b]) {
    const left = await node.store.list()
    expect(hostsOf(left)).toEqual(['new.test uploaded'])
    await node.store.removeOtherFiles(new Set(left.map(({ path }) => path)), () => false)
  }
  expect([await filesIn('a'), await filesIn('b')]).toEqual([['new.test.uploaded.pem'], ['new.test.uploaded.pem']])
  expect([a.store.isArriving('new.test'), a.store.isArriving('gone.test')]).toEqual([true, false])
})

it('a file that is missing or was changed is written again', async () => {
  const a = nodeIn('a')
  for (const host of ['one.test', 'two.test']) await a.store.put(host, 'acme', ownCertificate(host))
  const before = await textIn('a', 'two.test.acme.pem')
  await rm(join(root, 'a', 'certs', 'one.test.acme.pem'))
  await a.store.read()
  expect(await filesIn('a')).toEqual(['one.test.acme.pem', 'two.test.acme.pem'])
  await writeFile(join(root, 'a', 'certs', 'two.test.acme.pem'), 'something else')
  expect(await nodeIn('a').store.list()).toHaveLength(2)
  expect(await textIn('a', 'two.test.acme.pem')).toBe(before)
})

it('a certificate whose file could not be written is written at the next look', async () => {
  const a = nodeIn('a')
  await a.store.put('one.test', 'acme', ownCertificate('one.test'))
  await a.store.read()
  const inTheWay = join(root, 'a', 'certs', 'one.test.acme.pem.new')
  await mkdir(inTheWay)
  const renewed = ownCertificate('one.test')
  await expect(a.store.put('one.test', 'acme', renewed)).rejects.toThrow('EISDIR')
  await rm(inTheWay, { recursive: true })
  await a.store.read()
  expect(await textIn('a', 'one.test.acme.pem')).toContain(renewed.chain.trim())
})

it('takes over the files of an earlier version once, with the account, and serves them as they were', async () => {
  const dir = join(root, 'a')
  const earlier = nodeIn('a').files
  const long = `${`${'x'.repeat(62)}.`.repeat(3)}${'x'.repeat(59)}.test`
  await earlier.put('one.test', 'acme', { ...ownCertificate('one.test'), directory: 'https://ca.test/dir' })
  await earlier.put('one.test', 'uploaded', ownCertificate('one.test'))
  await earlier.put(long, 'acme', { ...ownCertificate(long), directory: 'https://ca.test/dir' })
  await writeFile(join(dir, 'acme-account.pem'), 'the key of the account')
  const before = await earlier.list()
  const a = nodeIn('a')
  expect((await a.store.list()).toSorted((x, y) => (x.host < y.host ? -1 : 1))).toEqual(
    before.toSorted((x, y) => (x.host < y.host ? -1 : 1)),
  )
  expect(await a.accountKey()).toBe('the key of the account')
  await a.store.remove('one.test')
  const again = nodeIn('a') // after a restart the file is still there
  expect(hostsOf(await again.store.list())).toEqual([`${long} acme`])
  const other = nodeIn('b')
  expect(hostsOf(await other.store.list())).toEqual([`${long} acme`])
  expect(await other.accountKey()).toBe('the key of the account')
})

it('nodes that need an account at the same time make one', async () => {
  const keys = await Promise.all([nodeIn('a'), nodeIn('b')].map(async (node) => await node.accountKey()))
  expect(keys[0]).toContain('PRIVATE KEY')
  expect(keys[0]).toBe(keys[1])
})

it('a certificate that cannot be opened keeps nobody else from being served, and its file stays', async () => {
  const a = nodeIn('a')
  for (const host of ['one.test', 'two.test']) await a.store.put(host, 'acme', ownCertificate(host))
  await test.db.transaction(async (tx) => {
    await tx
      .updateTable('certificate')
      .set({ sealed_key: 'x'.repeat(100) })
      .where('host', '=', 'two.test')
      .execute()
  })
  const again = nodeIn('a')
  const left = await again.store.list()
  expect(hostsOf(left)).toEqual(['one.test acme'])
  await again.store.removeOtherFiles(new Set(left.map(({ path }) => path)), () => false)
  expect(await filesIn('a')).toEqual(['one.test.acme.pem', 'two.test.acme.pem'])
})
