import { expect, it } from 'vitest'
import { freeSubnets, isAppAddress } from './subnets.ts'

const first = (taken: readonly string[]) => freeSubnets(taken).take(1).toArray()[0]

it('returns the first free subnet of the pool', () => {
  expect(first([])).toBe('10.224.0.0/24')
  expect(freeSubnets(['10.224.0.0/24', '10.224.2.0/24', '172.17.0.0/16']).take(2).toArray()).toEqual(['10.224.1.0/24', '10.224.3.0/24'])
})

it('skips subnets that overlap a larger or a smaller network', () => {
  expect(first(['10.224.0.0/13'])).toBe('10.232.0.0/24')
  expect(first(['10.224.0.128/25'])).toBe('10.224.1.0/24')
  expect(first(['10.224.0.77/32'])).toBe('10.224.1.0/24')
  expect(first(['10.0.0.0/8'])).toBeUndefined()
  expect(first(['0.0.0.0/0'])).toBeUndefined()
})

it('has 4,096 pieces, all in 10.224.0.0/12, and ignores what is no IPv4 network', () => {
  const all = freeSubnets(['fd00::/64', 'nonsense', '10.224.0.0', '10.224.0.0/99']).toArray()
  expect(all).toHaveLength(4096)
  expect(all.at(-1)).toBe('10.239.255.0/24')
})

it('knows an address of an app', () => {
  for (const address of ['10.224.0.0', '10.231.7.130', '10.239.255.255']) expect(isAppAddress(address)).toBe(true)
  for (const address of [
    '10.223.255.255',
    '10.240.0.0',
    '172.17.0.2',
    '10.224.0.1/8',
    '10.224.0',
    '10.224.0.999',
    '',
    'fd00::1',
    ' 10.224.0.1',
  ])
    expect(isAppAddress(address)).toBe(false)
})
