import { expect, it } from 'vitest'
import { createWebhookGate, isSentBy } from './gate.ts'

const SIGNED = { 'x-hub-signature-256': `sha256=${'a'.repeat(64)}` }

it('what has a signature is read, whoever it says that it is from, and nobody is looked up for that', async () => {
  const asked: unknown[] = []
  const gate = createWebhookGate(async (address) => void asked.push(address))
  for (const query of [{ account: '1' }, { account: '999' }, { account: 'x' }, { app: 'k' }, {}, undefined])
    expect(await gate(SIGNED, query)).toBe(true)
  expect(await gate({ 'x-gitea-signature': 'b'.repeat(64) }, {})).toBe(true)
  expect(asked).toEqual([])
})

it('what shows nothing, or a secret of nobody, is not read', async () => {
  const gate = createWebhookGate(async () => undefined)
  for (const headers of [{}, { 'x-hub-signature-256': 'sha1=abc' }, { 'x-gitlab-token': '' }, { 'x-gitlab-token': 'guess' }])
    expect(await gate(headers, { account: '1', repository: '2' })).toBe(false)
})

it('a delivery of nobody is refused, whatever it is signed with', () => {
  expect(isSentBy(undefined, SIGNED, Buffer.from('{}'))).toBe(false)
})
