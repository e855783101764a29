import { expect, it } from 'vitest'
import { createWebhookGate, isSentBy } from './gate.ts'

const SIGNED = { 'x-hub-signature-256': `sha256=${'a'.repeat(64)}` }

const nobody = { senderOf: async () => undefined }

it('a delivery to an unknown URL is not read, whatever its headers are', async () => {
  const gate = createWebhookGate({ ...nobody, hasOldAddresses: async () => false })
  for (const headers of [
    {},
    SIGNED,
    { 'x-gitea-signature': 'b'.repeat(64) },
    { 'x-hub-signature-256': 'sha1=abc' },
    { 'x-gitlab-token': 'guess' },
  ])
    for (const query of [{ account: '1' }, { account: '1', repository: '2', key: 'x' }, { account: 'x' }, { app: 'k' }, {}, undefined])
      expect(await gate(headers, query)).toBe(false)
})

it('while there are webhook URLs without keys, all of them are read alike, without looking up the account', async () => {
  const asked: unknown[] = []
  const gate = createWebhookGate({ senderOf: async (address) => void asked.push(address), hasOldAddresses: async () => true })
  for (const account of ['1', '999']) expect(await gate(SIGNED, { account })).toBe(true)
  expect(asked).toEqual([])
  for (const query of [{ account: '1', repository: '2' }, { app: 'k' }, {}]) expect(await gate(SIGNED, query)).toBe(false)
})

it('a delivery from an unknown sender is refused, whatever it is signed with', () => {
  expect(isSentBy(undefined, SIGNED, Buffer.from('{}'))).toBe(false)
})
