import { describe, expect, it } from 'vitest'
import { baseDomain, needsNoDns } from './base-domain.ts'
import { isBetter } from './server-address.ts'

const NAMES = { wildcardDomain: '', automaticDomain: 'sslip.io' }

describe('the base of generated domains', () => {
  it.each([
    [{ ...NAMES, wildcardDomain: 'apps.example.com' }, '203.0.113.7', 'apps.example.com'],
    [NAMES, undefined, 'localhost'],
    [NAMES, '203.0.113.7', '203-0-113-7.sslip.io'],
    [NAMES, '2001:db8::7', '2001-db8--7.sslip.io'],
    [NAMES, '2001:db8::', '2001-db8--0.sslip.io'],
    [{ ...NAMES, automaticDomain: '' }, '203.0.113.7', undefined],
    [{ ...NAMES, automaticDomain: '' }, undefined, undefined],
  ])('%j at %s is %s', (names, address, name) => {
    expect(baseDomain(names, address)?.name).toBe(name)
  })

  it('contains its own address, unless it is a wildcard domain', () => {
    const byAddress = baseDomain(NAMES, '203.0.113.7')
    expect(needsNoDns('shop.203-0-113-7.sslip.io', byAddress)).toBe(true)
    expect(needsNoDns('shop.203-0-113-8.sslip.io', byAddress)).toBe(false)
    expect(needsNoDns('evil203-0-113-7.sslip.io', byAddress)).toBe(false)
    expect(needsNoDns('shop.localhost', undefined)).toBe(true)
    expect(needsNoDns('shop.apps.example.com', baseDomain({ ...NAMES, wildcardDomain: 'apps.example.com' }, undefined))).toBe(false)
  })
})

describe('a newly seen address of the server', () => {
  it.each([
    ['203.0.113.7', undefined, [], true],
    ['203.0.113.7', '10.0.0.1', ['10.0.0.1'], true],
    ['10.0.0.1', '203.0.113.7', ['10.0.0.1'], false],
    ['203.0.113.8', '203.0.113.7', ['203.0.113.7'], false],
    ['203.0.113.8', '203.0.113.7', ['10.0.0.1'], true],
    ['203.0.113.7', '203.0.113.7', [], false],
  ])('%s instead of %s on a machine with %j: %s', (found, known, own, better) => {
    expect(isBetter(found, known, own)).toBe(better)
  })
})
