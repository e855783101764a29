import { createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { element, objectId, pem, sequence } from './der.ts'

/** Both as PEM. */
export type Certified = { readonly certificate: string; readonly key: string }
/** With the name in its certificate. */
export type Authority = Certified & { readonly name: string }
type Times = { readonly notBefore: Date; readonly notAfter: Date }
type Wanted = Times & { subject: string; issuer: string; publicKey: KeyObject; signer: KeyObject; extensions: readonly Buffer[] }

export function selfSigned({ host, ...times }: Times & { host: string }): Certified {
  const { publicKey, privateKey } = newKeys()
  const extensions = [subjectAltName(element(0x82, Buffer.from(host))), NOT_AN_AUTHORITY]
  return certified({ ...times, subject: host, issuer: host, publicKey, signer: privateKey, extensions }, privateKey)
}

/** One whose certificate others are told to trust, once. */
export function newAuthority({ name, ...times }: Times & { name: string }): Certified {
  const { publicKey, privateKey } = newKeys()
  const extensions = [AN_AUTHORITY, SIGNS_CERTIFICATES]
  return certified({ ...times, subject: name, issuer: name, publicKey, signer: privateKey, extensions }, privateKey)
}

/** For a server at an IPv4 address, with a new key. */
export function issuedFor(authority: Authority, { address, ...times }: Times & { address: string }): Certified {
  const alternative = element(0x87, Buffer.from(address.split('.').map(Number)))
  return issued(authority, { ...times, subject: address, extensions: [subjectAltName(alternative), NOT_AN_AUTHORITY, FOR_SERVERS] })
}

/** For a server or a client that is known by a name, with a new key. One is never accepted as the other. */
export function issuedTo(authority: Authority, { name, use, ...times }: Times & { name: string; use: 'server' | 'client' }): Certified {
  const extensions = [subjectAltName(element(0x82, Buffer.from(name))), NOT_AN_AUTHORITY, use === 'server' ? FOR_SERVERS : FOR_CLIENTS]
  return issued(authority, { ...times, subject: name, extensions })
}

function issued({ name, key }: Authority, wanted: Times & Pick<Wanted, 'subject' | 'extensions'>): Certified {
  const { publicKey, privateKey } = newKeys()
  return certified({ ...wanted, issuer: name, publicKey, signer: createPrivateKey(key) }, privateKey)
}

function newKeys() {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' })
}

function certified(wanted: Wanted, key: KeyObject): Certified {
  const body = sequence(
    element(0xa0, element(0x02, Buffer.from([2]))),
    element(0x02, Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    ECDSA_SHA256,
    nameOf(wanted.issuer),
    sequence(time(wanted.notBefore), time(wanted.notAfter)),
    nameOf(wanted.subject),
    wanted.publicKey.export({ type: 'spki', format: 'der' }),
    element(0xa3, sequence(...wanted.extensions)),
  )
  const signature = element(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', body, wanted.signer)]))
  return {
    certificate: pem('CERTIFICATE', sequence(body, ECDSA_SHA256, signature)),
    key: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

function nameOf(text: string): Buffer {
  return sequence(element(0x31, sequence(objectId('550403'), element(0x0c, Buffer.from(text)))))
}

function time(date: Date): Buffer {
  return element(0x18, Buffer.from(`${date.toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`))
}

function subjectAltName(name: Buffer): Buffer {
  return sequence(objectId('551d11'), element(0x04, sequence(name)))
}

const YES = element(0x01, Buffer.from([0xff]))
const ECDSA_SHA256 = sequence(objectId('2a8648ce3d040302'))
const NOT_AN_AUTHORITY = sequence(objectId('551d13'), element(0x04, sequence()))
const AN_AUTHORITY = sequence(objectId('551d13'), YES, element(0x04, sequence(YES)))
const SIGNS_CERTIFICATES = sequence(objectId('551d0f'), YES, element(0x04, element(0x03, Buffer.from([2, 0x04]))))
const FOR_SERVERS = sequence(objectId('551d25'), element(0x04, sequence(objectId('2b06010505070301'))))
const FOR_CLIENTS = sequence(objectId('551d25'), element(0x04, sequence(objectId('2b06010505070302'))))
