import { randomBytes } from 'node:crypto'
import { SignJWT } from 'jose'
import { expect, it } from 'vitest'
import { createSessionTokens } from './authenticate.ts'

const key = randomBytes(32)
const tokens = createSessionTokens(key)
const claims = { userId: 1, sessionId: 'a-session', issuedAt: new Date() }

it('reads what it signed, again and again', async () => {
  const token = await tokens.sign(claims)
  expect((await tokens.read(token))?.sessionId).toBe('a-session')
  expect((await tokens.read(token))?.sessionId).toBe('a-session')
})

it('does not read what another key signed, what has expired, and what lacks a claim', async () => {
  expect(await createSessionTokens(randomBytes(32)).read(await tokens.sign(claims))).toBeUndefined()
  expect(await tokens.read(await tokens.sign({ ...claims, issuedAt: new Date(Date.now() - 31 * 24 * 3600 * 1000) }))).toBeUndefined()
  expect(await tokens.read(await new SignJWT({}).setProtectedHeader({ alg: 'HS256' }).setSubject('1').sign(key))).toBeUndefined()
  expect(await tokens.read('x'.repeat(100_000))).toBeUndefined()
  expect(await tokens.read('')).toBeUndefined()
})
