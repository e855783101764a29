import { once } from 'node:events'
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { createServer, type IncomingMessage, request as requestPlain } from 'node:http'
import { request } from 'node:https'
import { createServer as createTcpServer } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { connect } from 'node:tls'
import { describe, expect, it, vi } from 'vitest'
import { type Authority, type IssuingOptions, startCertificates } from '../../../testing/harness/issuing.ts'
import { startPebble } from '../../../testing/harness/pebble.ts'
import { signedChain } from '../../../testing/harness/signed-chain.ts'
import { startTestEdge, type TestEdge } from '../../../testing/harness/test-edge.ts'
import { createHaproxyRuntime } from '../haproxy/runtime.ts'
import { selfSignedCertificate } from './placeholder.ts'

const YEAR_MS = 365 * 86_400_000
/** For what needs no authority: nothing listens there. */
const NO_AUTHORITY: Authority = { directoryUrl: 'http://127.0.0.1:1/dir', ca: '', dnsServer: '127.0.0.1:1' }

/** Verifies the chain as a browser does, and gives the serial number of what was shown. */
async function shown(edge: TestEdge, host: string, root?: string): Promise<string> {
  const trust = root === undefined ? { rejectUnauthorized: false } : { ca: root }
  const socket = connect({ host: '127.0.0.1', port: edge.httpsPort, servername: host, ...trust })
  await once(socket, 'secureConnect')
  const serial = socket.getPeerCertificate().serialNumber
  socket.destroy()
  return serial
}

function ownPem(host: string) {
  const pem = selfSignedCertificate({ host, notBefore: new Date(Date.now() - 1000), notAfter: new Date(Date.now() + YEAR_MS) })
  return { certificate: pem, key: pem }
}

/** HAProxy is gone and cannot start again, because somebody else holds its port. */
async function takeAway(edge: TestEdge) {
  await edge.process.stop('SIGKILL')
  const holder = createTcpServer()
  const listen = async () => {
    holder.listen(edge.httpPort, '0.0.0.0')
    await once(holder, 'listening')
  }
  // the worker may end a moment after the process that was waited for
  await vi.waitFor(listen, { timeout: 10_000 })
  return {
    async giveBack() {
      holder.close()
      await once(holder, 'close')
      await edge.edge.repair()
    },
  }
}

const filesOf = async (edge: TestEdge, host: string) =>
  (await readdir(edge.paths.certificatesDir)).filter((file) => file.startsWith(`${host}.`)).sort()

const route = (host: string) => ({
  apps: [{ appKey: 'a1', hosts: [{ host, redirectHttps: true, hsts: true }], targets: [], page: 'stopped' as const }],
})

describe('a certificate', () => {
  it('is issued through the edge, put in place without a restart, and renewed after two thirds of its life', async () => {
    await using edge = await startTestEdge()
    await using pebble = await startPebble({ httpPort: edge.httpPort })
    await edge.edge.setRoutes(route('secure.test'))
    const pid = edge.process.pid()
    await using sut = await startCertificates(edge, pebble)
    expect(sut.certificates.status('secure.test').sslStatus).toBe('none')
    await sut.certificates.want(['secure.test'])
    await expect
      .poll(() => sut.certificates.status('secure.test'), { timeout: 20_000 })
      .toMatchObject({ sslStatus: 'active', sslError: null })
    await expect.poll(() => sut.heard.map(([, status]) => status.sslStatus)).toEqual(['pending', 'active'])

    const first = await shown(edge, 'secure.test', pebble.root)
    const req = request({
      host: '127.0.0.1',
      port: edge.httpsPort,
      servername: 'secure.test',
      ca: pebble.root,
      headers: { host: 'secure.test' },
      agent: false,
    }).end()
    const [res] = (await once(req, 'response')) as [IncomingMessage] // the event's only argument
    expect(res).toMatchObject({ statusCode: 503, headers: { 'strict-transport-security': 'max-age=31536000' } })
    expect(await text(res)).toContain('stopped')
    const plain = requestPlain({
      host: '127.0.0.1',
      port: edge.httpPort,
      path: '/a?b=c',
      headers: { host: 'Secure.test:80' },
      agent: false,
    }).end()
    const [redirect] = await once(plain, 'response')
    expect(redirect).toMatchObject({ statusCode: 308, headers: { location: `https://secure.test:${edge.httpsPort}/a?b=c` } })

    sut.clock.offsetMs = 4 * YEAR_MS
    await expect.poll(async () => (await shown(edge, 'secure.test', pebble.root)) === first, { timeout: 20_000 }).toBe(false)
    expect(edge.process.pid()).toBe(pid)

    expect((await stat(join(edge.paths.certificatesDir, 'secure.test.acme.pem'))).mode & 0o777).toBe(0o600)
  })

  it('is not ordered while the name points elsewhere, and is once that is fixed and checked again', async () => {
    await using edge = await startTestEdge()
    await using pebble = await startPebble({ httpPort: edge.httpPort })
    await edge.edge.setRoutes(route('moved.test'))
    await pebble.pointTo('moved.test', ['127.0.0.9'])
    await using sut = await startCertificates(edge, pebble)
    await sut.certificates.want(['moved.test'])
    await expect.poll(() => sut.certificates.status('moved.test').sslStatus, { timeout: 20_000 }).toBe('failed')
    const failed = sut.certificates.status('moved.test')
    expect(failed.sslError).toContain('points to 127.0.0.9')
    expect(failed.nextTryAt?.getTime()).toBeGreaterThan(Date.now() + 50_000)
    await pebble.pointTo('moved.test', ['127.0.0.1'])
    expect(await sut.certificates.checkNow('moved.test')).toMatchObject({ sslStatus: 'active', sslError: null, nextTryAt: null })
    await sut.certificates.forget('moved.test')
    await expect(shown(edge, 'moved.test', pebble.root)).rejects.toThrow('self-signed certificate')
    await shown(edge, 'moved.test')
  })

  it('whose file was deleted is written again, and not ordered again', async () => {
    await using edge = await startTestEdge()
    await using pebble = await startPebble({ httpPort: edge.httpPort })
    await edge.edge.setRoutes(route('lost.test'))
    await using sut = await startCertificates(edge, pebble)
    await sut.certificates.want(['lost.test'])
    await expect.poll(() => sut.heard.at(-1)?.[1].sslStatus, { timeout: 20_000 }).toBe('active') // said once the edge shows it
    const first = await shown(edge, 'lost.test', pebble.root)
    await rm(join(edge.paths.certificatesDir, 'lost.test.acme.pem'))
    await sut.certificates.want(['lost.test'])
    expect(await filesOf(edge, 'lost.test')).toEqual(['lost.test.acme.pem'])
    await edge.process.stop('SIGKILL')
    await edge.edge.repair()
    expect(await shown(edge, 'lost.test', pebble.root)).toBe(first)
    expect(await readFile(edge.paths.certificateList, 'utf8')).toContain('lost.test.acme.pem lost.test')
  })

  it('that the authority refuses leaves its reason and a time for the next try', async () => {
    await using edge = await startTestEdge()
    await using pebble = await startPebble({ httpPort: edge.httpPort })
    await edge.edge.setRoutes(route('refused.test'))
    const losesChallenges = { addChallenge: async () => undefined, removeChallenge: async () => undefined }
    await using sut = await startCertificates(edge, pebble, { challengeEdge: losesChallenges })
    await sut.certificates.want(['refused.test'])
    await expect.poll(() => sut.certificates.status('refused.test').sslStatus, { timeout: 20_000 }).toBe('failed')
    expect(sut.certificates.status('refused.test').sslError).toMatch(/refused refused\.test: .*returned 503/)
  })

  it('is retried soon, without counting a failure, if our own edge could not serve the challenge', async () => {
    await using edge = await startTestEdge()
    await using pebble = await startPebble({ httpPort: edge.httpPort })
    await edge.edge.setRoutes(route('away.test'))
    await using sut = await startCertificates(edge, pebble, { challengeEdge: edge.reopen() }) // one that was told no routes
    await sut.certificates.want(['away.test'])
    await expect.poll(() => sut.certificates.status('away.test').sslStatus, { timeout: 20_000 }).toBe('failed')
    const first = sut.certificates.status('away.test')
    expect(first.sslError).toBe('The proxy on this server was not available: The proxy does not know its routes yet.')
    const second = await sut.certificates.checkNow('away.test')
    expect(second.nextTryAt?.getTime()).toBeLessThan(Date.now() + 61_000)
    expect(sut.attempts.get('away.test')).toMatchObject({ failures: 0 })
  })

  it('is not requested again within the hour after a rate limit, not even by hand', async () => {
    await using edge = await startTestEdge()
    await using pebble = await startPebble({ httpPort: edge.httpPort })
    await edge.edge.setRoutes(route('busy.test'))
    let asked = 0
    const limiting = createServer((req, res) => {
      const base = `http://${req.headers.host ?? ''}`
      if (req.url === '/dir')
        return res.end(JSON.stringify({ newNonce: `${base}/nonce`, newAccount: `${base}/account`, newOrder: `${base}/order` }))
      if (req.url === '/nonce') return res.writeHead(200, { 'replay-nonce': 'abc' }).end()
      asked += 1
      return res
        .writeHead(429, { 'retry-after': '7200', 'content-type': 'application/problem+json' })
        .end('{"detail":"too many certificates already issued"}')
    }).listen(0, '127.0.0.1')
    await once(limiting, 'listening')
    const address = limiting.address()
    if (address === null || typeof address === 'string') throw new Error('no port was given')
    await using sut = await startCertificates(edge, pebble, { directoryUrl: `http://127.0.0.1:${address.port}/dir` })
    await sut.certificates.want(['busy.test'])
    await expect.poll(() => sut.certificates.status('busy.test').sslStatus, { timeout: 20_000 }).toBe('failed')
    const { sslError, nextTryAt } = sut.certificates.status('busy.test')
    expect(sslError).toBe('The certificate authority is rate limiting this server: too many certificates already issued')
    expect(nextTryAt?.getTime()).toBeGreaterThan(Date.now() + 7_100_000)
    await sut.certificates.checkNow('busy.test')
    expect(asked).toBe(1)
    limiting.close()
    limiting.closeAllConnections()
  })

  it('of another authority is served until the current one has issued its own, whatever was tried before', async () => {
    await using edge = await startTestEdge()
    await using pebble = await startPebble({ httpPort: edge.httpPort })
    await edge.edge.setRoutes(route('tried-out.test'))
    const options: IssuingOptions = { directoryUrl: `${pebble.directoryUrl}?staging` }
    await using sut = await startCertificates(edge, pebble, options)
    await sut.certificates.want(['tried-out.test'])
    const status = () => sut.certificates.status('tried-out.test')
    await expect.poll(() => sut.heard.map(([, { sslStatus }]) => sslStatus), { timeout: 20_000 }).toEqual(['pending', 'active'])
    const first = await shown(edge, 'tried-out.test', pebble.root)

    options.directoryUrl = 'http://127.0.0.1:1/dir'
    await sut.certificates.want(['tried-out.test'])
    await expect
      .poll(status, { timeout: 20_000 })
      .toMatchObject({ sslStatus: 'active', sslError: expect.stringContaining('cannot be reached') })
    expect(await shown(edge, 'tried-out.test', pebble.root)).toBe(first)
    delete options.directoryUrl
    await sut.certificates.want(['tried-out.test'])
    await expect.poll(async () => await shown(edge, 'tried-out.test', pebble.root), { timeout: 20_000 }).not.toBe(first)
    const second = await shown(edge, 'tried-out.test', pebble.root)
    await using after = await startCertificates(edge, pebble, options)
    await after.certificates.want(['tried-out.test'])
    await edge.process.stop('SIGKILL')
    await edge.edge.repair()
    expect(await shown(edge, 'tried-out.test', pebble.root)).toBe(second)
    expect(after.certificates.status('tried-out.test')).toMatchObject({ sslStatus: 'active', sslError: null })
  })

  it('of somebody’s own is used for its host and for no other', async () => {
    await using edge = await startTestEdge()
    await using pebble = await startPebble({ httpPort: edge.httpPort })
    await edge.edge.setRoutes(route('own.test'))
    await using sut = await startCertificates(edge, pebble)
    const before = await shown(edge, 'own.test')
    const pem = ownPem('own.test')
    expect(await sut.certificates.upload('other.test', pem)).toBe('The certificate does not cover other.test. It covers own.test.')
    expect(await sut.certificates.upload('own.test', pem)).toBeUndefined()
    expect(await shown(edge, 'own.test')).not.toBe(before)
    expect(await shown(edge, 'other.test')).toBe(before)
  })
})

describe('a certificate of somebody’s own', () => {
  it('that is brought again with what was missing in its chain is shown with it', async () => {
    await using edge = await startTestEdge()
    await edge.edge.setRoutes(route('chain.test'))
    await using sut = await startCertificates(edge, NO_AUTHORITY)
    const { certificate, key } = ownPem('chain.test')
    const path = join(edge.paths.certificatesDir, 'chain.test.uploaded.pem')
    const held = async () =>
      (await createHaproxyRuntime({ socketPath: edge.paths.socket }).certificateFingerprints([path])).get(path)?.split('+')[1]
    expect(await sut.certificates.upload('chain.test', { certificate, key })).toBeUndefined()
    expect(await held()).toBe('0')
    expect(await sut.certificates.upload('chain.test', { certificate: certificate + certificate, key })).toBeUndefined()
    expect(await held()).toBe('1')
  })

  it('that is brought again with a corrected certificate in its chain is shown with that', async () => {
    await using edge = await startTestEdge()
    await edge.edge.setRoutes(route('chain.test'))
    await using sut = await startCertificates(edge, NO_AUTHORITY)
    const { chain, corrected, key } = await signedChain('chain.test', 'sha256')
    const issuerShown = async () => {
      const socket = connect({ host: '127.0.0.1', port: edge.httpsPort, servername: 'chain.test', rejectUnauthorized: false })
      await once(socket, 'secureConnect')
      const { fingerprint, issuerCertificate } = socket.getPeerCertificate(true)
      socket.destroy()
      return [fingerprint, issuerCertificate.fingerprint]
    }
    expect(await sut.certificates.upload('chain.test', { certificate: chain, key })).toBeUndefined()
    const [leaf, before] = await issuerShown()
    expect(await sut.certificates.upload('chain.test', { certificate: corrected, key })).toBeUndefined()
    const [sameLeaf, after] = await issuerShown()
    expect(sameLeaf).toBe(leaf)
    expect(after).not.toBe(before)
    await edge.edge.repair() // compares with what HAProxy says
    expect(await issuerShown()).toEqual([leaf, after])
  })

  it('removed while the edge was down is deleted on the next pass, even if the name has a new owner', async () => {
    await using edge = await startTestEdge()
    await edge.edge.setRoutes(route('gone.test'))
    await using sut = await startCertificates(edge, NO_AUTHORITY)
    for (const host of ['gone.test', 'taken.test']) expect(await sut.certificates.upload(host, ownPem(host))).toBeUndefined()
    const former = await shown(edge, 'taken.test')
    const away = await takeAway(edge)
    for (const host of ['gone.test', 'taken.test']) await expect(sut.certificates.forget(host)).rejects.toThrow('is taken by')
    await sut.certificates.want([])
    expect(await filesOf(edge, 'gone.test')).toEqual(['gone.test.uploaded.pem'])
    expect(await sut.certificates.upload('taken.test', ownPem('taken.test'))).toBeUndefined()
    await away.giveBack()
    await sut.certificates.want([])
    expect(await filesOf(edge, 'gone.test')).toEqual([])
    expect(await filesOf(edge, 'taken.test')).toEqual(['taken.test.uploaded.pem'])
    expect(await shown(edge, 'taken.test')).not.toBe(former)
    expect(sut.certificates.status('taken.test').sslStatus).toBe('active')
  })

  it('removed while the edge was down leaves nothing but the certificate ordered for the next owner', async () => {
    await using edge = await startTestEdge()
    await using pebble = await startPebble({ httpPort: edge.httpPort })
    await edge.edge.setRoutes(route('next.test'))
    await using sut = await startCertificates(edge, pebble)
    expect(await sut.certificates.upload('next.test', ownPem('next.test'))).toBeUndefined()
    const away = await takeAway(edge)
    await expect(sut.certificates.forget('next.test')).rejects.toThrow('is taken by')
    await away.giveBack()
    await sut.certificates.want(['next.test'])
    await expect.poll(() => sut.heard.at(-1)?.[1].sslStatus, { timeout: 20_000 }).toBe('active')
    await sut.certificates.want(['next.test'])
    expect(await filesOf(edge, 'next.test')).toEqual(['next.test.acme.pem'])
    await shown(edge, 'next.test', pebble.root)
  })

  it('whose removal a restart of the control plane cut short is gone, and so is its file once the edge is back', async () => {
    await using edge = await startTestEdge()
    await edge.edge.setRoutes(route('gone.test'))
    await using before = await startCertificates(edge, NO_AUTHORITY)
    expect(await before.certificates.upload('gone.test', ownPem('gone.test'))).toBeUndefined()
    const away = await takeAway(edge)
    await expect(before.certificates.forget('gone.test')).rejects.toThrow('is taken by')
    await using after = await startCertificates(edge, NO_AUTHORITY)
    expect(await after.certificates.hosts()).toEqual([])
    await after.certificates.want([])
    expect(await filesOf(edge, 'gone.test')).toEqual(['gone.test.uploaded.pem'])
    await away.giveBack()
    await after.certificates.want([])
    expect(await filesOf(edge, 'gone.test')).toEqual([])
  })

  it('rejected by the edge is reported as failed, and as active again once it is accepted', async () => {
    await using edge = await startTestEdge()
    await edge.edge.setRoutes(route('long.test'))
    await using before = await startCertificates(edge, NO_AUTHORITY)
    expect(await before.certificates.upload('long.test', ownPem('long.test'))).toBeUndefined()
    const { certificate, key } = ownPem('long.test')
    const [leaf = ''] = certificate.split('-----BEGIN PRIVATE')
    await before.store.put('long.test', 'uploaded', { chain: leaf.repeat(40), key: key.slice(leaf.length) })
    await using after = await startCertificates(edge, NO_AUTHORITY)
    expect(await after.certificates.upload('other.test', ownPem('other.test'))).toBeUndefined()
    await after.certificates.want([])
    expect(after.certificates.status('long.test')).toMatchObject({
      sslStatus: 'failed',
      sslError: expect.stringContaining('The proxy rejected this certificate'),
    })
    await before.store.put('long.test', 'uploaded', { chain: leaf, key: key.slice(leaf.length) })
    await after.certificates.want([])
    expect(after.heard.filter(([host]) => host === 'long.test').map(([, status]) => status.sslStatus)).toEqual(['failed', 'active'])
  })

  it('is reported as failed once it has expired, only once, and after a restart too', async () => {
    await using edge = await startTestEdge()
    await edge.edge.setRoutes(route('old.test'))
    await using sut = await startCertificates(edge, NO_AUTHORITY)
    expect(await sut.certificates.upload('old.test', ownPem('old.test'))).toBeUndefined()
    const states = (heard: typeof sut.heard) => heard.map(([, status]) => status.sslStatus)
    await sut.certificates.want([])
    expect(states(sut.heard)).toEqual(['active'])
    sut.clock.offsetMs = 2 * YEAR_MS
    await sut.certificates.want([])
    await sut.certificates.want([])
    expect(states(sut.heard)).toEqual(['active', 'failed'])
    expect(sut.heard.at(-1)?.[1].sslError).toContain('The certificate expired on')
    await using after = await startCertificates(edge, NO_AUTHORITY)
    await after.certificates.want([])
    expect(states(after.heard)).toEqual(['active']) // it may not have been written down before
    after.clock.offsetMs = 2 * YEAR_MS
    await after.certificates.want([])
    expect(states(after.heard)).toEqual(['active', 'failed'])
  })
})
