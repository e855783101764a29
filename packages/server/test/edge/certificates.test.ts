import { X509Certificate } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { createCertificateFiles } from '../../src/edge/certificates/certificate-files.ts'
import type { EdgeCertificate } from '../../src/edge/edge.ts'
import { ownCertificate, shownFingerprint } from '../../testing/harness/own-certificate.ts'
import { signedChain } from '../../testing/harness/signed-chain.ts'
import { type RoutedEdge, startTestEdge, type TestEdge } from '../../testing/harness/test-edge.ts'

/** Like a process that was killed before the next command. */
async function order(edge: TestEdge, command: string): Promise<string> {
  const socket = connect(edge.paths.socket)
  socket.end(`${command}\n`)
  return await text(socket)
}

const failedStarts = (edge: TestEdge) => edge.process.output().split('unable to load chain certificate').length - 1
const leafOf = ({ fingerprint }: EdgeCertificate) => fingerprint.split('+')[0]
const app = (appKey: string, host: string) => ({ appKey, hosts: [{ host, redirectHttps: true, hsts: true }], targets: [] })

describe('a certificate', () => {
  it('is installed even if a process was killed while installing it or another one', async () => {
    await using edge = await startTestEdge()
    const store = createCertificateFiles({ dir: edge.paths.certificatesDir })
    await edge.edge.setRoutes({ apps: [app('a1', 'one.test'), app('a2', 'two.test')] })
    const one = await store.put('one.test', 'uploaded', ownCertificate('one.test'))
    expect(await order(edge, `new ssl cert ${one.path}`)).toContain('New empty')
    await edge.edge.setCertificates([one])
    expect(await shownFingerprint(edge, 'one.test')).toBe(leafOf(one))

    const other = ownCertificate('other.test')
    const started = await order(edge, `set ssl cert ${one.path} <<\n${(other.chain + other.key).trim()}\n`)
    expect(started).toContain('Transaction created')
    const two = await store.put('two.test', 'uploaded', ownCertificate('two.test'))
    await edge.edge.setCertificates([one, two])
    expect([await shownFingerprint(edge, 'one.test'), await shownFingerprint(edge, 'two.test')]).toEqual([leafOf(one), leafOf(two)])
  })

  it('with spaces and the line ends of Windows in its file is taken by a running HAProxy as by one that starts', async () => {
    await using edge = await startTestEdge()
    const store = createCertificateFiles({ dir: edge.paths.certificatesDir })
    await edge.edge.setRoutes({ apps: [app('a1', 'one.test')] })
    const { chain, key } = ownCertificate('one.test')
    const one = await store.put('one.test', 'acme', { chain: chain.replaceAll('\n', '  \r\n'), key })
    await edge.edge.setCertificates([one])
    expect(await shownFingerprint(edge, 'one.test')).toBe(leafOf(one))
    await edge.edge.close()
    await edge.process.stop('SIGKILL')
    const again = edge.reopen()
    await again.setRoutes({ apps: [app('a1', 'one.test')] })
    expect(again.state()).toMatchObject({ state: 'ready', refused: [] })
    expect(await shownFingerprint(edge, 'one.test')).toBe(leafOf(one))
    await again.close()
  })

  it('is one of many, for which HAProxy gets more time to start', async () => {
    await using edge = await startTestEdge()
    const store = createCertificateFiles({ dir: edge.paths.certificatesDir })
    const same = ownCertificate('many.test')
    const all = await Promise.all(Array.from({ length: 200 }, async (_, n) => await store.put(`n${n}.many.test`, 'uploaded', same)))
    await edge.edge.setRoutes({ apps: [app('a1', 'n1.many.test')] })
    await edge.edge.setCertificates(all)
    await edge.edge.close()
    await edge.process.stop('SIGKILL')
    const again = edge.reopen({ startWithinMs: 0 })
    await again.setRoutes({ apps: [app('a1', 'n1.many.test')] })
    expect(again.state()).toMatchObject({ state: 'ready', refused: [] })
    await again.close()
  })

  it('rejected by HAProxy is left out and reported, and all other hosts are served', async () => {
    await using edge = await startTestEdge()
    const store = createCertificateFiles({ dir: edge.paths.certificatesDir })
    await edge.edge.setRoutes({ apps: [app('a1', 'one.test')] })
    const long = await store.put('long.test', 'uploaded', ownCertificate('long.test'))
    const { chain, key } = ownCertificate('long.test')
    await writeFile(long.path, `${chain.repeat(40)}${key}`)
    const fingerprint = new X509Certificate(chain).fingerprint.replaceAll(':', '')
    const one = await store.put('one.test', 'uploaded', ownCertificate('one.test'))
    await edge.edge.setCertificates([{ ...long, fingerprint }, one])
    await edge.edge.setRoutes({ apps: [app('a1', 'one.test'), app('a2', 'long.test'), app('a3', 'three.test')] })
    expect(edge.edge.state()).toMatchObject({ state: 'ready', refused: [expect.stringMatching(/^The certificate of long\.test: HAProxy/)] })
    expect(await shownFingerprint(edge, 'one.test')).toBe(leafOf(one))
    const statusOf = async (host: string) => {
      const socket = connect(edge.httpPort, '127.0.0.1')
      socket.write(`GET / HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`)
      return (await text(socket)).slice(9, 12)
    }
    expect([await statusOf('one.test'), await statusOf('long.test'), await statusOf('three.test')]).toEqual(['308', '503', '503'])
  })

  it('that HAProxy refuses at its start, or with a new configuration, keeps nobody else down and is not shown to strangers', async () => {
    await using edge = await startTestEdge()
    const store = createCertificateFiles({ dir: edge.paths.certificatesDir })
    const routes = { apps: [app('a1', 'one.test'), app('a2', 'two.test')] }
    const one = await store.put('one.test', 'uploaded', ownCertificate('one.test'))
    const two = await store.put('two.test', 'uploaded', ownCertificate('two.test'))
    await edge.edge.setRoutes(routes)
    await edge.edge.setCertificates([one, two])
    await edge.edge.close()
    await writeFile(two.path, ownCertificate('two.test').chain + ownCertificate('two.test').key) // of another pair
    const isServedWithoutTwo = async (again: RoutedEdge) => {
      await again.setRoutes(routes).catch(() => undefined) // a busy machine may need longer; the edge retries by itself
      await expect
        .poll(() => again.state(), { timeout: 30_000 })
        .toMatchObject({
          state: 'ready',
          refused: [expect.stringMatching(/^The certificate of two\.test: /)],
        })
      expect(await shownFingerprint(edge, 'one.test')).toBe(leafOf(one))
      await again.close()
    }

    await edge.process.stop('SIGKILL')
    const messages = new Set<string>()
    const restarted = edge.reopen({ startWithinMs: 3000 })
    const watching = setInterval(() => messages.add(restarted.state().message), 20)
    await isServedWithoutTwo(restarted)
    clearInterval(watching)
    expect([...messages].filter((message) => message.includes('two.test') || message.includes(edge.paths.dir))).toEqual([])

    await writeFile(edge.paths.certificateList, `${two.path} two.test\n${one.path} one.test\n`)
    await isServedWithoutTwo(edge.reopen({ startWithinMs: 3000, timeouts: { keepAliveMs: 1234 } }))
  })

  it('that HAProxy refuses delays nobody when it starts together with the control plane', async () => {
    await using edge = await startTestEdge()
    const store = createCertificateFiles({ dir: edge.paths.certificatesDir })
    const routes = { apps: [app('a1', 'one.test'), app('a2', 'two.test')] }
    const one = await store.put('one.test', 'uploaded', ownCertificate('one.test'))
    const two = await store.put('two.test', 'uploaded', await signedChain('two.test', 'sha1'))
    await edge.edge.setRoutes(routes)
    await edge.edge.setCertificates([one, two])
    const refused = [expect.stringMatching(/^The certificate of two\.test: HAProxy/)]
    expect(edge.edge.state()).toMatchObject({ state: 'ready', refused })
    await edge.edge.close()
    const startsOf = async () => {
      await edge.process.stop('SIGKILL')
      const [before, begun, again] = [failedStarts(edge), performance.now(), edge.reopen()]
      await again.setRoutes(routes)
      const tookMs = performance.now() - begun
      expect(again.state()).toMatchObject({ state: 'ready', refused })
      expect(await shownFingerprint(edge, 'one.test')).toBe(leafOf(one))
      await again.close()
      return { failed: failedStarts(edge) - before, tookMs }
    }
    expect(await startsOf()).toMatchObject({ failed: 0 }) // the refusal is remembered
    await rm(edge.paths.refusedCertificates)
    const { failed, tookMs } = await startsOf()
    expect(failed).toBe(1)
    expect(tookMs).toBeLessThan(8000) // it would wait for 10 s
  })

  it('of a host of 253 characters is kept, shown, found again after a restart, and removed', async () => {
    await using edge = await startTestEdge()
    const store = createCertificateFiles({ dir: edge.paths.certificatesDir })
    const [long, other] = ['x', 'y'].map((letter) => `${`${letter.repeat(62)}.`.repeat(3)}${letter.repeat(59)}.test`)
    if (long === undefined || other === undefined) throw new Error('there are two')
    expect(long).toHaveLength(253)
    const one = await store.put(long, 'acme', { ...ownCertificate(long), directory: 'https://ca.test/dir' })
    const two = await store.put(other, 'uploaded', ownCertificate(other))
    await edge.edge.setRoutes({ apps: [app('a1', long), app('a2', other)] })
    await edge.edge.setCertificates([one, two])
    expect([await shownFingerprint(edge, long), await shownFingerprint(edge, other)]).toEqual([leafOf(one), leafOf(two)])
    await edge.edge.close()
    expect((await store.list()).toSorted((a, b) => (a.host < b.host ? -1 : 1))).toEqual([one, two])
    await store.remove(long, 'acme')
    expect(await store.list()).toEqual([two])
  })

  it('is kept only for a host that is a plain name', async () => {
    await using edge = await startTestEdge()
    const store = createCertificateFiles({ dir: edge.paths.certificatesDir })
    for (const host of ['../../one.test', 'x\nshow info', 'ONE.test', '*.one.test'])
      await expect(store.put(host, 'uploaded', ownCertificate('one.test'))).rejects.toThrow('not a host')
  })
})
