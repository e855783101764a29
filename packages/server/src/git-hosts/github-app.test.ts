import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { expect, it } from 'vitest'
import { readPrivateKey } from './github-app.ts'

const pem = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }).toString()

it('reads the keys that GitHub issues, and none that is not RSA', () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  expect(readPrivateKey(privateKey.export({ type: 'pkcs1', format: 'pem' }).toString())).toBe(pem(privateKey))
  expect(readPrivateKey(pem(generateKeyPairSync('ed25519').privateKey))).toBeUndefined()
  expect(readPrivateKey('no key')).toBeUndefined()
})

it('reads no key with which a signature would take seconds: a very long one, or one whose parts do not belong together', () => {
  const numbers = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' })
  const long = Buffer.alloc(1000, 0xc1).toString('base64url')
  const other = Buffer.alloc(256, 0x41).toString('base64url')
  for (const wrong of [{ n: long, d: long }, { p: other, q: other, dp: other, dq: other }, { e: long }]) {
    const key = createPrivateKey({ key: { ...numbers, ...wrong }, format: 'jwk' })
    expect(readPrivateKey(pem(key))).toBeUndefined()
  }
})
