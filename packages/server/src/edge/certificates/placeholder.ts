import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'

/** A self-signed certificate and its key in one PEM, served until the host has its own certificate. */
export function selfSignedCertificate(options: { host: string; notBefore: Date; notAfter: Date }): string {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const name = sequence(set(sequence(objectId('550403'), tlv(0x0c, Buffer.from(options.host)))))
  const body = sequence(
    tlv(0xa0, tlv(0x02, Buffer.from([2]))),
    tlv(0x02, Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    ECDSA_SHA256,
    name,
    sequence(time(options.notBefore), time(options.notAfter)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tlv(0xa3, sequence(subjectAltName(options.host), NOT_AN_AUTHORITY)),
  )
  const signature = tlv(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', body, privateKey)]))
  const certificate = sequence(body, ECDSA_SHA256, signature)
  return `${pem('CERTIFICATE', certificate)}${privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()}`
}

/** DER, as X.509 wants it: a tag, the length, the contents. */
function tlv(tag: number, contents: Buffer): Buffer {
  const size = contents.length
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 0xff]
  return Buffer.concat([Buffer.from([tag, ...length]), contents])
}

function sequence(...parts: Buffer[]): Buffer {
  return tlv(0x30, Buffer.concat(parts))
}

function set(...parts: Buffer[]): Buffer {
  return tlv(0x31, Buffer.concat(parts))
}

function objectId(hex: string): Buffer {
  return tlv(0x06, Buffer.from(hex, 'hex'))
}

function time(date: Date): Buffer {
  return tlv(0x18, Buffer.from(`${date.toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`))
}

function subjectAltName(host: string): Buffer {
  return sequence(objectId('551d11'), tlv(0x04, sequence(tlv(0x82, Buffer.from(host)))))
}

function pem(label: string, der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`
}

const ECDSA_SHA256 = sequence(objectId('2a8648ce3d040302'))
const NOT_AN_AUTHORITY = sequence(objectId('551d13'), tlv(0x04, sequence()))
