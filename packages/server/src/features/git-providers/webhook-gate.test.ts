import { expect, it } from 'vitest'
import { createWebhookGate } from './webhook-gate.ts'

const SIGNED = { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` }

it('a delivery is read only where there is a secret and its signature could be one', async () => {
  const mayBeSigned = createWebhookGate({ hasSecret: async () => true })
  expect(await mayBeSigned(SIGNED)).toBe(true)
  expect(await createWebhookGate({ hasSecret: async () => false })(SIGNED)).toBe(false)
  for (const wrong of ['', 'sha256=', `sha1=${'0'.repeat(40)}`, '0'.repeat(64), `sha256=${'0'.repeat(63)}`, `sha256=${'g'.repeat(64)}`])
    expect([wrong, await mayBeSigned({ 'x-hub-signature-256': wrong })]).toEqual([wrong, false])
  expect(await mayBeSigned({ 'x-hub-signature': `sha1=${'0'.repeat(40)}` })).toBe(false)
})
