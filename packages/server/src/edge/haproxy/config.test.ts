import { expect, it } from 'vitest'
import { haproxyConfig } from './config.ts'

const settings = {
  dir: '/data/edge',
  httpPort: 80,
  httpsPort: 443,
  ipv6: true,
  cores: 2,
  containerNetworks: ['10.224.0.0/12', '172.17.0.0/16'],
}

it('the configuration depends on settings alone and carries its own hash', () => {
  const one = haproxyConfig(settings)
  expect(haproxyConfig(settings)).toEqual(one)
  expect(one.text).toContain(`description berth-${one.hash}`)
  expect(haproxyConfig({ ...settings, httpPort: 8080 }).hash).not.toBe(one.hash)
  expect(() => haproxyConfig({ ...settings, dir: '/my data' })).toThrow('letters, digits')
})

it('is the checked-in configuration, so that a review shows what a change does to it', async () => {
  await expect(haproxyConfig({ ...settings, runAs: { uid: 65_534, gid: 65_534 } }).text).toMatchFileSnapshot('haproxy.cfg')
})

it('what HAProxy checks is in the file and not in the hash, so that it is not reloaded for it', () => {
  const [none, one] = [haproxyConfig(settings, new Map()), haproxyConfig(settings, new Map([['10.232.0.2|80', 'check-1']]))]
  expect(one.hash).toBe(none.hash)
  expect(one.hash).not.toBe(haproxyConfig(settings).hash)
  expect(one.text).toContain('server it 10.232.0.2:80 check')
  expect(one.text).toContain('{ var(txn.check),nbsrv eq 0 }')
  expect(haproxyConfig(settings).text).not.toMatch(/check-|nbsrv/)
})
