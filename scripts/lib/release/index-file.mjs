import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'

/** A new key to sign with; answers the public one as the product knows it. */
export function makeKey(file) {
  const { privateKey } = generateKeyPairSync('ed25519')
  writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600, flag: 'wx' })
  return publicKeyOf(file)
}

function publicKeyOf(file) {
  const der = createPublicKey(createPrivateKey(readFileSync(file))).export({ type: 'spki', format: 'der' })
  return der.toString('base64')
}

/** Only what this key signed before is signed again: the folder may have been in other hands. */
function releasesIn(file, keyFile) {
  if (!existsSync(file)) return []
  const { signed, signature } = JSON.parse(readFileSync(file, 'utf8'))
  const key = createPublicKey(createPrivateKey(readFileSync(keyFile)))
  if (!verify(null, Buffer.from(signed), key, Buffer.from(signature, 'base64'))) throw new Error(`${file} was not signed with ${keyFile}`)
  return JSON.parse(signed).releases
}

/** Adds a release to the index, or a platform to a release of it. One file, so that text and signature cannot be of two versions. */
export function addToIndex(file, keyFile, release) {
  const known = releasesIn(file, keyFile)
  const before = known.find(({ version }) => version === release.version)
  const merged = { ...release, archives: { ...before?.archives, ...release.archives } }
  const releases = [...known.filter(({ version }) => version !== release.version), merged]
  const signed = JSON.stringify({ format: 1, releases })
  const signature = sign(null, Buffer.from(signed), createPrivateKey(readFileSync(keyFile))).toString('base64')
  writeFileSync(`${file}.new`, JSON.stringify({ signed, signature }))
  renameSync(`${file}.new`, file)
}
