import { generateKeyPairSync } from 'node:crypto'
import { expect, it } from 'vitest'
import { element, objectId, pem, sequence } from './der.ts'
import { readCertificate, readPrivateKey, UnusualKey } from './usual-keys.ts'

const integer = (...bytes: number[]) => element(0x02, Buffer.from(bytes))
const octets = (contents: Buffer) => element(0x04, contents)
const bits = (contents: Buffer) => element(0x03, Buffer.from([0]), contents)

const [EC, DSA, P256, SECP256K1, X25519] = ['2a8648ce3d0201', '2a8648ce380401', '2a8648ce3d030107', '2b8104000a', '2b656e'].map(objectId)
if (!EC || !DSA || !P256 || !SECP256K1 || !X25519) throw new Error('unreachable')
const POINT = Buffer.concat([Buffer.from([4]), Buffer.alloc(64, 1)])
const COMPRESSED = Buffer.concat([Buffer.from([2]), Buffer.alloc(32, 1)])
/** Of a curve that comes with the key: its field is what decides how long OpenSSL computes. */
const OWN_CURVE = sequence(integer(1), sequence(objectId('2a8648ce3d0101'), integer(7)), octets(COMPRESSED))

const certificateWith = (publicKey: Buffer, { hasVersion = true } = {}) => {
  const algorithm = sequence(objectId('2a8648ce3d040302'))
  const version = hasVersion ? [element(0xa0, integer(2))] : []
  const times = sequence(element(0x17, Buffer.from('260101000000Z')), element(0x17, Buffer.from('300101000000Z')))
  const body = sequence(...version, integer(1), algorithm, sequence(), times, sequence(), publicKey)
  return sequence(body, algorithm, bits(sequence(integer(1), integer(1))))
}

it.each([
  ['P-256', generateKeyPairSync('ec', { namedCurve: 'prime256v1' })],
  ['P-521', generateKeyPairSync('ec', { namedCurve: 'secp521r1' })],
  ['RSA', generateKeyPairSync('rsa', { modulusLength: 2048 })],
  ['Ed25519', generateKeyPairSync('ed25519')],
])('reads keys and certificates of %s', (_name, { publicKey, privateKey }) => {
  const spki = publicKey.export({ type: 'spki', format: 'der' })
  for (const hasVersion of [true, false])
    expect(readCertificate(certificateWith(spki, { hasVersion }))?.publicKey.export({ type: 'spki', format: 'der' })).toEqual(spki)
  const pkcs8 = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  expect(readPrivateKey(`Bag Attributes\r\n${pkcs8.replaceAll('\n', ' \r\n')}`)?.equals(privateKey)).toBe(true)
})

it('reads the older forms of keys', () => {
  const ec = generateKeyPairSync('ec', { namedCurve: 'secp384r1' }).privateKey
  const parameters = pem('EC PARAMETERS', objectId('2b81040022'))
  expect(readPrivateKey(parameters + ec.export({ type: 'sec1', format: 'pem' }).toString())?.equals(ec)).toBe(true)
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
  expect(readPrivateKey(rsa.export({ type: 'pkcs1', format: 'pem' }).toString())?.equals(rsa)).toBe(true)
})

it.each([
  ['a curve of its own', sequence(sequence(EC, OWN_CURVE), bits(POINT))],
  ['a point that has to be computed', sequence(sequence(EC, P256), bits(COMPRESSED))],
  ['another curve', sequence(sequence(EC, SECP256K1), bits(POINT))],
  ['no curve', sequence(sequence(EC), bits(POINT))],
  ['DSA', sequence(sequence(DSA, sequence(integer(7), integer(7), integer(2))), bits(integer(5)))],
  ['thousands of bytes', sequence(sequence(objectId('2a864886f70d010101')), bits(Buffer.alloc(3000, 1)))],
  ['no key', sequence()],
])('gives OpenSSL no certificate with %s', (_name, publicKey) => {
  expect(() => readCertificate(certificateWith(publicKey))).toThrow(UnusualKey)
})

const ecKey = (...more: Buffer[]) => sequence(integer(1), octets(Buffer.alloc(32, 1)), ...more)
const pkcs8 = (algorithm: Buffer, key: Buffer) => pem('PRIVATE KEY', sequence(integer(0), algorithm, octets(key)))
it.each([
  ['DSA', pkcs8(sequence(DSA, sequence(integer(7), integer(7), integer(2))), integer(5))],
  ['a curve of its own', pkcs8(sequence(EC, OWN_CURVE), ecKey())],
  ['a second curve of its own', pkcs8(sequence(EC, P256), ecKey(element(0xa0, OWN_CURVE)))],
  ['a point that has to be computed', pkcs8(sequence(EC, P256), ecKey(element(0xa1, bits(COMPRESSED))))],
  ['an older form and a curve of its own', pem('EC PRIVATE KEY', ecKey(element(0xa0, OWN_CURVE)))],
  ['an older form and no curve', pem('EC PRIVATE KEY', ecKey())],
  ['a kind that signs nothing', pkcs8(sequence(X25519), octets(Buffer.alloc(32, 1)))],
  ['many thousands of bytes', pem('RSA PRIVATE KEY', sequence(integer(0), integer(...Buffer.alloc(9000, 1))))],
])('gives OpenSSL no private key of %s', (_name, text) => {
  expect(() => readPrivateKey(text)).toThrow(UnusualKey)
})

it.each([['no key'], [pem('PRIVATE KEY', Buffer.alloc(0))], [pem('OPENSSH PRIVATE KEY', Buffer.from('30', 'hex'))]])(
  'finds no key in %j',
  (text) => {
    expect(readPrivateKey(text)).toBeUndefined()
  },
)

it.each([[''], ['30'], ['3084ffffffff'], ['ff'.repeat(40)], ['3080300000']])('finds no certificate in %s', (hex) => {
  expect(readCertificate(Buffer.from(hex, 'hex'))).toBeUndefined()
})
