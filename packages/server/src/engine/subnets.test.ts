import { expect, it } from 'vitest'
import { freeSubnets } from './subnets.ts'

const first = (taken: readonly string[]) => freeSubnets(taken).take(1).toArray()[0]

it('gives the first free piece of the pool', () => {
  expect(first([])).toBe('10.224.0.0/24')
  expect(freeSubnets(['10.224.0.0/24', '10.224.2.0/24', '172.17.0.0/16']).take(2).toArray()).toEqual(['10.224.1.0/24', '10.224.3.0/24'])
})

it('passes over what lies in a larger network, or holds a smaller one', () => {
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
