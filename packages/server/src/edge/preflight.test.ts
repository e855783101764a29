import { randomUUID } from 'node:crypto'
import { networkInterfaces } from 'node:os'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestEdge, type TestEdge } from '../testing/test-edge.ts'
import { createPreflight } from './preflight.ts'

let test: TestEdge
beforeAll(async () => {
  test = await startTestEdge()
  await test.edge.setRoutes({ apps: [] })
})
afterAll(async () => await test[Symbol.asyncDispose]())

/** An address of this machine under which visitors reach it; the server is told that it has another one, as behind a router. */
const outside = () =>
  Object.values(networkInterfaces())
    .flatMap((entries) => entries ?? [])
    .find((entry) => entry.family === 'IPv4' && !entry.internal)?.address ?? ''

const preflight = (found: readonly string[], port = test.httpPort) =>
  createPreflight({
    edge: test.edge,
    resolve: async () => [...found],
    addresses: () => ['198.51.100.1'],
    newToken: randomUUID,
    port,
    timeoutMs: 500,
  })

describe('a name that points to an address that this server does not know as its own', () => {
  it('points here when this server answers there', async () => {
    const seen = preflight([outside()])
    expect(await seen.check('shop.example.test')).toEqual({ dnsStatus: 'ok', dnsError: null, found: [outside()] })
    expect(await seen.problem('shop.example.test')).toBeUndefined()
  })

  it('points elsewhere when something else answers there, or nothing, or one of several is not us', async () => {
    const elsewhere = expect.stringContaining('and this server is 198.51.100.1')
    expect(await preflight([outside()], 1).check('shop.example.test')).toMatchObject({ dnsStatus: 'wrong', dnsError: elsewhere })
    expect(await preflight([outside(), '198.51.100.9']).check('shop.example.test')).toMatchObject({
      dnsStatus: 'wrong',
      dnsError: elsewhere,
    })
    expect(await preflight([outside()], 1).problem('shop.example.test')).toEqual(elsewhere)
  })

  it('is never asked where that would be this machine itself', async () => {
    expect(await preflight(['127.0.0.1']).check('shop.example.test')).toMatchObject({ dnsStatus: 'wrong' })
    expect(await preflight(['169.254.169.254']).check('shop.example.test')).toMatchObject({ dnsStatus: 'wrong' })
  })
})
