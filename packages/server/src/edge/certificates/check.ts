import { type KeyObject, sign, verify, type X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import { isConsistentRsa, isUsualRsa } from '../../lib/rsa-key.ts'
import { readCertificate, readPrivateKey, UnusualKey } from '../../lib/usual-keys.ts'
import { BUFFER_BYTES } from '../haproxy/config.ts'

export type UploadCheck = { readonly chain: string; readonly key: string; readonly notAfter: Date } | { readonly problem: string }

const BEGIN = /-----BEGIN CERTIFICATE-----/g
const BLOCK = /-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----/g
/** HAProxy reads a certificate into one buffer, together with the command. */
const MAX_PEM = BUFFER_BYTES - 1_500
/** HAProxy reads them all at each start. Usual chains have two or three. */
const MOST_OF_A_CHAIN = 6
const LONGEST_NAMES = 500
const CURVES = new Set(['prime256v1', 'secp384r1', 'secp521r1'])
const WEAK_SIGNATURE = /md[245]|sha1(?!\d)|ripemd/i
const PROBE = Buffer.from('berth')
const LONG_CHAIN = 'The certificate chain is too long. Leave out the root certificate and others that browsers already have.'
const UNUSUAL_CERTIFICATE =
  'A certificate of the chain has a kind of key that cannot be used. Use a chain with RSA, P-256, P-384, P-521 or Ed25519.'
const UNREADABLE_KEY =
  'The private key cannot be read. It must start with -----BEGIN PRIVATE KEY-----, -----BEGIN RSA PRIVATE KEY----- or -----BEGIN EC PRIVATE KEY-----.'
const DAMAGED_KEY = 'The private key is damaged: its parts do not belong together, or what it signs does not match the certificate.'
const WRONG_KEY = 'This kind of key cannot be used. Use RSA with 2048 to 4096 bits, P-256, P-384, P-521 or Ed25519.'

/** Whether an uploaded certificate can be used for this host. `problem` is for the person who uploaded it. */
export function checkUpload(upload: { host: string; certificate: string; key: string; now: Date }): UploadCheck {
  const { host, now } = upload
  const begun = upload.certificate.match(BEGIN)?.length ?? 0
  if (begun === 0) return { problem: 'There is no certificate in this text. It must start with -----BEGIN CERTIFICATE-----.' }
  if (begun > MOST_OF_A_CHAIN) return { problem: LONG_CHAIN }
  const chain = parseChain(upload.certificate)
  if (typeof chain === 'string') return { problem: chain }
  const [leaf] = chain
  if (leaf === undefined || chain.length < begun) return { problem: 'The certificate cannot be read. Paste the whole certificate again.' }
  const key = parseKey(upload.key)
  if (typeof key === 'string') return { problem: key }
  if (!leaf.checkPrivateKey(key))
    return { problem: 'The private key does not belong to this certificate. The certificate of the host itself must come first.' }
  const wrongKey = keyProblem(key, leaf)
  if (wrongKey !== undefined) return { problem: wrongKey }
  if (leaf.checkHost(host) === undefined) return { problem: `The certificate does not cover ${host}. It covers ${coveredNames(leaf)}.` }
  const notAfter = new Date(leaf.validTo)
  if (notAfter <= now) return { problem: `The certificate expired on ${day(notAfter)}.` }
  const notBefore = new Date(leaf.validFrom)
  if (notBefore > now) return { problem: `The certificate is not valid before ${day(notBefore)}.` }
  const broken = brokenLink(chain)
  if (broken !== undefined) return { problem: broken }
  const weak = weakSignature(chain)
  if (weak !== undefined) return { problem: weak }
  const text = chain.map((each) => each.toString().trim()).join('\n')
  const keyText = key.export({ type: 'pkcs8', format: 'pem' }).toString()
  if (text.length + keyText.length > MAX_PEM) return { problem: LONG_CHAIN }
  return usable(text, keyText)
    ? { chain: text, key: keyText, notAfter }
    : { problem: 'The key or the signature is too weak to be used. Use RSA with 2048 bits or more, or P-256.' }
}

/** Parsed and written again later, because programs differ in what white space they accept. Those that cannot be read are left out. */
function parseChain(text: string): X509Certificate[] | string {
  try {
    return [...text.matchAll(BLOCK)].flatMap(([, body = '']) => readCertificate(Buffer.from(body, 'base64')) ?? [])
  } catch (cause) {
    if (cause instanceof UnusualKey) return UNUSUAL_CERTIFICATE
    throw cause
  }
}

function parseKey(pem: string): KeyObject | string {
  if (/ENCRYPTED/.test(pem)) return 'The private key is protected by a passphrase. Remove the passphrase first.'
  try {
    return readPrivateKey(pem) ?? UNREADABLE_KEY
  } catch (cause) {
    if (cause instanceof UnusualKey) return WRONG_KEY
    throw cause
  }
}

/**
 * HAProxy uses this key for every visitor: a very long one, or one with parts that make no sense, blocks it for seconds, and an unknown kind
 * keeps it from starting. A test signature is made, because the parts of a key can be inconsistent.
 */
function keyProblem(key: KeyObject, leaf: X509Certificate): string | undefined {
  if (!isUsualKey(key)) return WRONG_KEY
  if (key.asymmetricKeyType === 'rsa' && !isConsistentRsa(key)) return DAMAGED_KEY
  const algorithm = key.asymmetricKeyType === 'ed25519' ? null : 'sha256'
  try {
    if (verify(algorithm, PROBE, leaf.publicKey, sign(algorithm, PROBE, key))) return undefined
  } catch {
    // a key that cannot sign is as bad as one that signs incorrectly
  }
  return DAMAGED_KEY
}

function isUsualKey({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): boolean {
  if (type === 'ed25519') return true
  if (type === 'ec') return CURVES.has(details?.namedCurve ?? '')
  return type === 'rsa' && isUsualRsa(details ?? {})
}

function brokenLink(chain: readonly X509Certificate[]): string | undefined {
  for (const [index, certificate] of chain.entries()) {
    const issuer = chain[index + 1]
    if (issuer !== undefined && !certificate.checkIssued(issuer))
      return `Certificate ${index + 2} of the chain did not sign certificate ${index + 1}.`
  }
  return undefined
}

/**
 * HAProxy refuses such a chain, at its start all of its configuration with it. The signature of a certificate by itself counts for nobody,
 * so an old root may have any.
 */
function weakSignature(chain: readonly X509Certificate[]): string | undefined {
  const index = chain.findIndex((each) => WEAK_SIGNATURE.test(each.signatureAlgorithm ?? '') && !each.checkIssued(each))
  if (index === -1) return undefined
  return `Certificate ${index + 1} of the chain is signed with ${chain[index]?.signatureAlgorithm}, which is too weak. Ask your certificate authority for a chain that is signed with SHA-256 or better.`
}

/** Checked by the same library that HAProxy uses; what it rejects would keep HAProxy from starting. */
function usable(cert: string, key: string): boolean {
  try {
    createSecureContext({ cert, key })
    return true
  } catch {
    return false
  }
}

function coveredNames(certificate: X509Certificate): string {
  return certificate.subjectAltName?.slice(0, LONGEST_NAMES).replaceAll('DNS:', '') ?? 'no host'
}

function day(date: Date): string {
  return date.toISOString().slice(0, 10)
}
