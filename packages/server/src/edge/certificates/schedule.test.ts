import { X509Certificate } from 'node:crypto'
import { expect, it } from 'vitest'
import { parseRetryAfter, problemDetail } from './acme-transport.ts'
import { checkUpload } from './check.ts'
import { judgeDns } from './dns-check.ts'
import { selfSignedCertificate } from './placeholder.ts'
import { nextTryDelayMs, renewAt } from './schedule.ts'

const HOUR_MS = 3_600_000
const now = new Date('2030-01-15T00:00:00Z')
const pemFor = (host: string, from = '2030-01-01', to = '2030-04-01') =>
  selfSignedCertificate({ host, notBefore: new Date(from), notAfter: new Date(to) })

it('attempts are further and further apart, and an hour or more after a rate limit', () => {
  const delays = Array.from({ length: 9 }, (_, n) => nextTryDelayMs({ failures: n + 1, isRateLimited: false }, 0))
  expect(delays).toEqual([...delays].sort((a, b) => a - b))
  expect(delays.slice(2).every((delay) => delay >= HOUR_MS)).toBe(true)
  expect(nextTryDelayMs({ failures: 1, isRateLimited: true }, 0)).toBe(HOUR_MS)
  expect(nextTryDelayMs({ failures: 1, isRateLimited: true, retryAfterMs: 5 * HOUR_MS }, 0.5)).toBe(5.25 * HOUR_MS)
})

it('a certificate of ninety days is renewed after sixty', () => {
  expect(renewAt({ notBefore: new Date('2030-01-01'), notAfter: new Date('2030-04-01') })).toEqual(new Date('2030-03-02'))
})

it('a Retry-After of the authority is read as seconds or as a date', () => {
  expect(parseRetryAfter('120')).toBe(120_000)
  expect(parseRetryAfter('Tue, 01 Jan 2030 00:01:00 GMT', () => Date.parse('2030-01-01T00:00:00Z'))).toBe(60_000)
  expect(parseRetryAfter('soon')).toBeUndefined()
  expect(problemDetail('{"detail":"no"}')).toBe('no')
  expect(problemDetail('<html>')).toBeUndefined()
})

it('the placeholder is a certificate that Node itself can read', () => {
  const certificate = new X509Certificate(pemFor('a.test'))
  expect(certificate.checkHost('a.test')).toBe('a.test')
  expect(certificate.verify(certificate.publicKey)).toBe(true)
  expect(certificate.ca).toBe(false)
})

it('a certificate that somebody brings is refused with the reason', () => {
  const good = pemFor('a.test')
  const problem = (upload: { host?: string; certificate?: string; key?: string }) => {
    const check = checkUpload({ host: 'a.test', certificate: good, key: good.slice(good.indexOf('-----BEGIN PRIVATE')), now, ...upload })
    return 'problem' in check ? check.problem : undefined
  }
  expect(problem({})).toBeUndefined()
  expect(problem({ certificate: 'hello' })).toMatch('no certificate in this text')
  expect(problem({ certificate: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----' })).toMatch('cannot be read')
  expect(problem({ key: 'hello' })).toMatch('private key cannot be read')
  expect(problem({ key: '-----BEGIN ENCRYPTED PRIVATE KEY-----' })).toMatch('passphrase')
  expect(problem({ key: pemFor('a.test') })).toMatch('does not belong')
  expect(problem({ host: 'b.test' })).toBe('The certificate does not cover b.test. It covers a.test.')
  expect(problem({ certificate: good + pemFor('c.test') })).toBe('Certificate 2 of the chain did not sign certificate 1.')
  const old = pemFor('a.test', '2029-01-01', '2029-02-01')
  expect(problem({ certificate: old, key: old.slice(old.indexOf('-----BEGIN PRIVATE')) })).toBe('The certificate expired on 2029-02-01.')
})

it('a name is judged by where all its addresses point', () => {
  const addresses = ['192.0.2.1', '2001:db8::1']
  expect(judgeDns('a.test', { found: ['192.0.2.1'], addresses })).toMatchObject({ dnsStatus: 'ok', dnsError: null })
  expect(judgeDns('a.test', { found: ['192.0.2.1', '192.0.2.9'], addresses })).toMatchObject({ dnsStatus: 'wrong' })
  expect(judgeDns('a.test', { found: [], addresses }).dnsError).toBe(
    'a.test has no address yet. Add an A record with 192.0.2.1 or an AAAA record with 2001:db8::1.',
  )
  expect(judgeDns('a.test', { found: ['192.0.2.1'], addresses: [] })).toMatchObject({ dnsStatus: 'unknown' })
})
