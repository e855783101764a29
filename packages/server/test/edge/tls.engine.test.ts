import { once } from 'node:events'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Domain } from '@berth/contract'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freePort } from '../../testing/harness/listening.ts'
import { ownCertificate } from '../../testing/harness/own-certificate.ts'
import { type Pebble, startPebble } from '../../testing/harness/pebble.ts'
import { takePublicAddress } from '../../testing/harness/public-address.ts'
import { OWNER } from '../../testing/harness/start-test-server.ts'
import { startTrustingBrowser } from '../../testing/harness/trusting-browser.ts'
import { writeToDatabase } from '../../testing/harness/write-to-database.ts'
import { type EdgeLab, type LabApp, startEdgeLab, until } from '../../testing/labs/edge-lab.ts'
import { certificateShown, verified, visit, visitHttp2 } from '../../testing/labs/edge-visitor.ts'

const NAMES = path.resolve(import.meta.dirname, '../../testing/fixtures/edge-names.mjs')
let lab: EdgeLab
let pebble: Pebble
/** An authority whose certificates are valid for seconds, and one that can never reach the edge. */
let hasty: Pebble
let misled: Pebble
let app: LabApp
let folder: string
let publicAddress: Awaited<ReturnType<typeof takePublicAddress>>
const liar = createHttpServer((_request, response) => response.end('not what was asked for'))

async function domainOf(id: number): Promise<Domain> {
  const found = (await lab.call('domains.list', { appId: app.id })).find((domain) => domain.id === id)
  if (found === undefined) throw new Error(`no domain ${id}`)
  return found
}

const add = async (domain: string) => await lab.call('domains.create', { appId: app.id, domain })
const becomes = async (id: number, sslStatus: Domain['sslStatus']) =>
  await until(async () => {
    const domain = await domainOf(id)
    return domain.sslStatus === sslStatus && domain
  }, `domain ${id} is ${sslStatus}`)

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'berth-tls-'))
  const http = await freePort()
  liar.listen(0, '127.0.0.1')
  await once(liar, 'listening')
  const liarPort = (liar.address() as AddressInfo).port // it listens on a port, not on a socket's path
  pebble = await startPebble({ httpPort: http })
  const { ca } = pebble
  ;[hasty, misled] = await Promise.all([startPebble({ httpPort: http, ca, lifeSeconds: 20 }), startPebble({ httpPort: liarPort, ca })])
  await writeFile(path.join(folder, 'ca.pem'), ca)
  const env = {
    NODE_EXTRA_CA_CERTS: path.join(folder, 'ca.pem'),
    NODE_OPTIONS: `--import=${NAMES}`,
    EDGE_TEST_NAME_SERVER: pebble.dnsServer,
  }
  publicAddress = await takePublicAddress(http)
  lab = await startEdgeLab({ env, ports: { http }, tuning: { certificateLookMs: 500 } })
  app = await lab.addApp('Shop', { domain: 'shop.example.test' })
  await lab.deployWell(app)
})
afterAll(async () => {
  await lab[Symbol.asyncDispose]()
  await publicAddress[Symbol.asyncDispose]()
  for (const authority of [pebble, hasty, misled]) await authority[Symbol.asyncDispose]()
  liar.close()
  await rm(folder, { recursive: true, force: true })
})

it('serves an uploaded certificate, redirects visitors to https, and removes both again', async () => {
  const host = 'own.example.test'
  const domain = await add(host)
  const placeholder = await certificateShown(lab, host)
  await until(async () => (await visit(lab, { host })).status === 200, 'the route')
  const own = ownCertificate(host, 30)
  const other = ownCertificate('other.example.test')
  await expect(lab.call('domains.setCertificate', { id: domain.id, certificate: other.chain, privateKey: other.key })).rejects.toThrow(
    'does not cover own.example.test',
  )
  await expect(lab.call('domains.setCertificate', { id: domain.id, certificate: own.chain, privateKey: other.key })).rejects.toThrow(
    'does not belong',
  )
  const set = await lab.call('domains.setCertificate', { id: domain.id, certificate: own.chain, privateKey: own.key })
  expect(set).toMatchObject({ sslStatus: 'active', ownCertificate: true })

  const plain = await until(async () => {
    const answer = await visit(lab, { host, path: '/a?b=1' })
    return answer.status === 308 && answer
  }, 'the redirect')
  expect(plain.headers.location).toBe(`https://${host}:${lab.httpsPort}/a?b=1`)
  const secure = await visit(lab, { host, ca: own.pem })
  expect(secure.headers['strict-transport-security']).toBe('max-age=31536000')
  expect(JSON.parse(secure.text)).toMatchObject({ app: 'Shop', headers: { 'x-forwarded-proto': 'https' } })
  expect((await visitHttp2(lab, { host, ca: own.pem, path: '/stream?count=5&ms=2&bytes=100000' })).text.length).toBe(500_000)
  expect(await certificateShown(lab, 'shop.example.test')).toBe(placeholder)

  await lab.call('domains.update', { id: domain.id, redirectHttps: false, hsts: false })
  await until(async () => (await visit(lab, { host })).status === 200, 'no redirect')
  expect((await visit(lab, { host, ca: own.pem })).headers['strict-transport-security']).toBeUndefined()

  expect(await lab.call('domains.removeCertificate', { id: domain.id })).toMatchObject({
    sslStatus: 'none',
    ownCertificate: false,
    expiresAt: null,
  })
  await until(async () => (await certificateShown(lab, host)) === placeholder, 'the placeholder')
})

it('leaves no certificate behind when its domain is deleted', async () => {
  const host = 'brief.example.test'
  const domain = await add(host)
  const { chain, key } = ownCertificate(host, 30)
  await lab.call('domains.setCertificate', { id: domain.id, certificate: chain, privateKey: key })
  const files = async () => (await readdir(lab.paths.certificatesDir)).filter((file) => file.startsWith(host))
  expect(await files()).toHaveLength(1)
  await lab.call('domains.delete', { id: domain.id })
  await until(async () => (await files()).length === 0, 'the key is gone')
  await until(async () => (await visit(lab, { host })).status === 404, 'no such app')
})

it('forgets a certificate that was brought where a crash came before the row knew of it', async () => {
  const host = 'unknown.example.test'
  const domain = await add(host)
  const placeholder = await certificateShown(lab, host)
  const { chain, key } = ownCertificate(host, 30)
  await lab.call('domains.setCertificate', { id: domain.id, certificate: chain, privateKey: key })
  await until(async () => (await certificateShown(lab, host)) !== placeholder, 'the certificate')
  await lab.berth.kill9()
  await writeToDatabase(lab.berth.dataDir, (file) => file.prepare('update domain set own_certificate = 0 where id = ?').run(domain.id))
  await lab.berth.startAgain()
  await until(async () => (await certificateShown(lab, host)) === placeholder, 'the placeholder')
  await until(async () => (await readdir(lab.paths.certificatesDir)).every((file) => !file.startsWith(host)), 'the key is gone')
  expect(await lab.call('domains.removeCertificate', { id: domain.id })).toMatchObject({ ownCertificate: false, sslStatus: 'none' })
})

it('orders certificates by itself, and says on the domain why one failed and when it is retried', async () => {
  const [good, elsewhere] = [await add('good.example.test'), await add('elsewhere.example.test')]
  await pebble.pointTo('good.example.test', [publicAddress.address])
  await pebble.pointTo('berth.example.test', [publicAddress.address])
  await pebble.pointTo('elsewhere.example.test', ['127.0.0.9'])
  await lab.call('settings.update', {
    acmeEmail: 'owner@example.test',
    acmeDirectory: pebble.directoryUrl,
    dashboardDomain: 'berth.example.test',
  })

  const issued = await becomes(good.id, 'active')
  expect(Date.parse(issued.expiresAt ?? '')).toBeGreaterThan(Date.now())
  const secure = await until(async () => await visit(lab, { host: 'good.example.test', ca: pebble.root }).catch(() => undefined), 'https')
  expect(JSON.parse(secure.text)).toMatchObject({ app: 'Shop' })
  expect((await visit(lab, { host: 'good.example.test' })).status).toBe(308)
  const dashboard = await until(
    async () => await visit(lab, { host: 'berth.example.test', path: '/health', ca: pebble.root }).catch(() => undefined),
    'the dashboard over https',
  )
  expect(dashboard.status).toBe(200)
  const login = await visit(lab, {
    host: 'berth.example.test',
    path: '/api/auth/login',
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(OWNER),
    ca: pebble.root,
  })
  expect(login.headers['set-cookie']).toEqual([expect.stringMatching(/^__Host-berth_session=.*; Secure$/)])
  expect((await lab.berth.anonymous('health')).messages['dashboard']).toBeUndefined()

  const failed = await becomes(elsewhere.id, 'failed')
  expect(failed.sslError).toContain('127.0.0.9')
  expect(Date.parse(failed.nextTryAt ?? '')).toBeGreaterThan(Date.now())
  expect(await lab.call('domains.check', { id: elsewhere.id })).toMatchObject({ dnsStatus: 'wrong', sslStatus: 'failed' })
  expect((await visit(lab, { host: 'elsewhere.example.test' })).status).toBe(200)
  expect(pebble.orders).toContain('good.example.test')
  expect(pebble.orders).not.toContain('elsewhere.example.test')

  await pebble.pointTo('elsewhere.example.test', [publicAddress.address])
  expect(await lab.call('domains.check', { id: elsewhere.id })).toMatchObject({ dnsStatus: 'ok', sslStatus: 'active', sslError: '' })
  await lab.call('settings.update', { acmeDirectory: 'https://localhost:1/dir' })
  await pebble.pointTo('late.example.test', [publicAddress.address])
  const late = await becomes((await add('late.example.test')).id, 'failed')
  expect(late.sslError).toContain('cannot be reached')
  const noticed = async () => {
    const message = (await lab.berth.anonymous('health')).messages['dashboard']
    return message?.includes('Next attempt') === true && message // it has none while a try is under way
  }
  expect(await until(noticed, 'what is wrong with the certificate of the dashboard')).toMatch(
    /^There is no new certificate for berth\.example\.test: .* cannot be reached: .* Next attempt at \d{4}-/,
  )
  expect(JSON.stringify(lab.berth.log())).not.toContain('PRIVATE KEY')
})

it('shows a chain that a visitor can verify up to the root, for that host and with that root alone', async () => {
  const host = 'good.example.test'
  expect(await verified(lab, host, pebble.root)).toMatchObject({ isTrusted: true, length: 3, protocol: 'TLSv1.3' })
  expect(await verified(lab, host, misled.root)).toMatchObject({ isTrusted: false })
  expect(await verified(lab, 'shop.example.test', pebble.root)).toMatchObject({ isTrusted: false })
})

it('opens in a browser that trusts the root without a warning, and in no other', async () => {
  const host = 'good.example.test'
  const { httpsPort } = lab
  await using trusting = await startTrustingBrowser({ httpsPort, roots: [pebble.root] })
  const page = await trusting.open(`https://${host}/`)
  expect(page.status).toBe(200)
  expect(JSON.parse(page.text)).toMatchObject({ app: 'Shop', headers: { host, 'x-forwarded-proto': 'https' } })
  const domain = (await lab.call('domains.list', { appId: app.id })).find((one) => one.domain === host)
  expect(page.security).toMatchObject({
    subjectName: host,
    issuer: pebble.issuer,
    protocol: 'TLS 1.3',
    validTo: Date.parse(domain?.expiresAt ?? '') / 1000,
  })
  await expect(trusting.open('https://shop.example.test/')).rejects.toThrow('net::ERR_CERT_AUTHORITY_INVALID')
  for (const roots of [[], [misled.root]]) {
    await using wary = await startTrustingBrowser({ httpsPort, roots })
    await expect(wary.open(`https://${host}/`)).rejects.toThrow('net::ERR_CERT_AUTHORITY_INVALID')
  }
})

it('says on the domain what the authority found wrong, and how long it limits us', async () => {
  await lab.call('settings.update', { acmeDirectory: misled.directoryUrl })
  await pebble.pointTo('misled.example.test', [publicAddress.address])
  await pebble.pointTo('busy.example.test', [publicAddress.address])
  const wrong = await becomes((await add('misled.example.test')).id, 'failed')
  expect(wrong.sslError).toMatch(/refused misled\.example\.test: .*authorization/i)
  expect(Date.parse(wrong.nextTryAt ?? '')).toBeGreaterThan(Date.now())

  pebble.limit('busy.example.test', 7200)
  await lab.call('settings.update', { acmeDirectory: pebble.directoryUrl })
  const busy = await becomes((await add('busy.example.test')).id, 'failed')
  expect(busy.sslError).toBe('The certificate authority is rate limiting this server: too many certificates already issued')
  expect(Date.parse(busy.nextTryAt ?? '')).toBeGreaterThan(Date.now() + 7_000_000)
  expect(await lab.call('domains.check', { id: busy.id })).toMatchObject({
    dnsStatus: 'ok',
    sslStatus: 'failed',
    nextTryAt: busy.nextTryAt,
  })
  expect(pebble.orders.filter((host) => host === 'busy.example.test')).toHaveLength(1)
})

it('renews a certificate by itself after two thirds of its life, and nobody who verifies it notices', async () => {
  const host = 'hasty.example.test'
  await lab.call('settings.update', { acmeDirectory: hasty.directoryUrl })
  await pebble.pointTo(host, [publicAddress.address])
  const { id } = await add(host)
  const first = await becomes(id, 'active')
  const shown = await certificateShown(lab, host)
  const statuses = new Set<number>()
  await until(async () => {
    statuses.add((await visit(lab, { host, ca: hasty.root })).status)
    return (await certificateShown(lab, host)) !== shown
  }, 'another certificate')
  expect([...statuses]).toEqual([200])
  const second = await until(async () => {
    const domain = await domainOf(id)
    return domain.expiresAt !== first.expiresAt && domain
  }, 'a later end')
  expect(second).toMatchObject({ sslStatus: 'active', sslError: '' })
  expect(Date.parse(second.expiresAt ?? '')).toBeGreaterThan(Date.parse(first.expiresAt ?? ''))
  expect(hasty.orders.filter((ordered) => ordered === host).length).toBeGreaterThanOrEqual(2)
})
