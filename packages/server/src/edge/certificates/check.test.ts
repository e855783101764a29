import { execFileSync } from 'node:child_process'
import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { signedChain } from '../../../testing/harness/signed-chain.ts'
import { pem as asPem, element, sequence, TAG } from '../../lib/der.ts'
import { checkUpload } from './check.ts'

let directory: string
beforeAll(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'berth-check-'))
})
afterAll(() => rmSync(directory, { recursive: true }))

/** A certificate of its own for this key, made by OpenSSL, as somebody would bring it. */
function upload(key: string) {
  const [keyFile, certificateFile] = [path.join(directory, 'key.pem'), path.join(directory, 'certificate.pem')]
  writeFileSync(keyFile, key)
  const args = [
    'req',
    '-x509',
    '-key',
    keyFile,
    '-out',
    certificateFile,
    '-days',
    '2',
    '-subj',
    '/CN=a.test',
    '-addext',
    'subjectAltName=DNS:a.test',
  ]
  execFileSync('openssl', args, { stdio: 'ignore' })
  return { host: 'a.test', certificate: readFileSync(certificateFile, 'utf8'), key, now: new Date(Date.now() + 1000) }
}

const pem = (key: { export(options: { type: 'pkcs8'; format: 'pem' }): string | Buffer }) =>
  key.export({ type: 'pkcs8', format: 'pem' }).toString()
const rsa = (modulusLength: number) => pem(generateKeyPairSync('rsa', { modulusLength }).privateKey)
const ec = (namedCurve: string) => pem(generateKeyPairSync('ec', { namedCurve }).privateKey)

it.each([
  ['RSA with 2048 bits', () => rsa(2048)],
  ['P-256', () => ec('prime256v1')],
  ['P-384', () => ec('secp384r1')],
  ['Ed25519', () => pem(generateKeyPairSync('ed25519').privateKey)],
])('takes %s', (_name, key) => {
  expect(checkUpload(upload(key()))).not.toHaveProperty('problem')
})

it.each([
  ['RSA with 1024 bits', () => rsa(1024)],
  ['a curve that visitors do not know', () => ec('secp256k1')],
  ['RSA with 4608 bits, with which the edge would compute for long', () => rsa(4608)],
])('refuses %s, and says what would be right', (_name, key) => {
  expect(checkUpload(upload(key()))).toEqual({ problem: expect.stringMatching(/Use (a chain with )?RSA/) })
})

it('refuses a key whose parts do not fit together, although its modulus is that of the certificate', () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const { certificate, ...rest } = upload(pem(privateKey))
  const numbers = privateKey.export({ format: 'jwk' })
  const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' })
  const mixed = createPrivateKey({ key: { ...other, n: numbers.n ?? '', e: numbers.e ?? '' }, format: 'jwk' })
  expect(checkUpload({ ...rest, certificate, key: pem(mixed) })).toEqual({ problem: expect.stringContaining('damaged') })
})

/** An RSA key in PKCS #1 with these numbers, right or wrong. */
function rsaKey(numbers: Readonly<Record<string, unknown>>): string {
  const integer = (value: Buffer) =>
    element(TAG.integer, value[0] !== undefined && value[0] > 127 ? Buffer.concat([Buffer.from([0]), value]) : value)
  const parts = ['n', 'e', 'd', 'p', 'q', 'dp', 'dq', 'qi'].map((name) => integer(Buffer.from(String(numbers[name]), 'base64url')))
  return asPem('RSA PRIVATE KEY', sequence(integer(Buffer.from([0])), ...parts))
}

it('refuses factors that are not those of the modulus, although the signatures are right', () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const numbers = privateKey.export({ format: 'jwk' })
  const below = Buffer.alloc(256, 0x41).toString('base64url') // as long as the modulus, and smaller
  const { key: _key, ...rest } = upload(pem(privateKey))
  expect(checkUpload({ ...rest, key: rsaKey({ ...numbers }) })).not.toHaveProperty('problem')
  for (const wrong of [{ p: below, q: below, dp: below, dq: below }, { dp: below }, { qi: below }])
    expect(checkUpload({ ...rest, key: rsaKey({ ...numbers, ...wrong }) })).toEqual({ problem: expect.stringContaining('damaged') })
})

const lines = (text: string, end: string) => text.trim().split('\n').join(end)
it.each([
  ['with spaces at the end of each line', (pem: string) => lines(pem, '  \n')],
  ['with the line ends of Windows', (pem: string) => lines(pem, '\r\n')],
  ['with spaces before those', (pem: string) => lines(pem, ' \t\r\n')],
  ['with empty lines in it', (pem: string) => lines(pem, '\n\n')],
  ['indented', (pem: string) => ` ${lines(pem, '\n  ')}`],
  ['on one line', (pem: string) => pem.replaceAll(/(?<=[A-Za-z0-9+/=])\n(?=[A-Za-z0-9+/=])/g, '')],
  ['between other words', (pem: string) => `\uFEFFBag Attributes: none\n${pem}subject=/CN=a.test\nThe end`],
])('takes a certificate %s, and keeps what every program reads', (_name, mangled) => {
  const whole = upload(ec('prime256v1'))
  const check = checkUpload({ ...whole, certificate: mangled(whole.certificate) })
  expect(check).toMatchObject({ chain: whole.certificate.trim() })
})

it.each([
  ['PKCS #7', (pem: string) => pem.replaceAll('CERTIFICATE', 'PKCS7')],
  ['a certificate with dashes missing', (pem: string) => pem.replaceAll('-----', '----')],
  ['a certificate with its second half missing', (pem: string) => `${pem.slice(0, 300)}\n-----END CERTIFICATE-----`],
  ['letters that are not of base64', (pem: string) => pem.replace(/\n/, '\n\u0000')],
])('refuses %s with a sentence', (_name, mangled) => {
  const whole = upload(ec('prime256v1'))
  expect(checkUpload({ ...whole, certificate: mangled(whole.certificate) })).toEqual({ problem: expect.stringMatching(/ertificate .*\.$/) })
})

it('refuses a chain with a certificate that is signed with SHA-1, unless it is the root that signed itself', async () => {
  const check = async (digest: 'sha1' | 'sha256') => {
    const { chain, key } = await signedChain('a.test', digest)
    return checkUpload({ host: 'a.test', certificate: chain, key, now: new Date(Date.now() + 1000) })
  }
  expect(await check('sha256')).not.toHaveProperty('problem')
  expect(await check('sha1')).toEqual({
    problem:
      'Certificate 2 of the chain is signed with sha1WithRSAEncryption, which is too weak. Ask your certificate authority for a chain that is signed with SHA-256 or better.',
  })
})

it('refuses long chains before any of it is read', () => {
  const whole = upload(ec('prime256v1'))
  expect(checkUpload({ ...whole, certificate: whole.certificate.repeat(7) })).toEqual({ problem: expect.stringContaining('too long') })
})
