import { describe, expect, it } from 'vitest'
import { engineRange, freeAddress } from './addresses.ts'

const SUBNET = '10.224.7.0/24'

describe('the address of a new container', () => {
  it('advances with every release, so that a freed address is not reused at once', () => {
    const given = [0, 1, 2, 126, 127].map((turn) => freeAddress(SUBNET, new Set(), turn))
    expect(given).toEqual(['10.224.7.128', '10.224.7.129', '10.224.7.130', '10.224.7.254', '10.224.7.128'])
  })

  it('passes over those that somebody has, stopped or not, and begins again at the end', () => {
    expect(freeAddress(SUBNET, new Set(['10.224.7.129', '10.224.7.130']), 1)).toBe('10.224.7.131')
    expect(freeAddress(SUBNET, new Set(['10.224.7.254']), 126)).toBe('10.224.7.128')
  })

  it('is left to the engine if all are taken, and in networks that are not ours', () => {
    const all = new Set(Array.from({ length: 127 }, (_, place) => `10.224.7.${128 + place}`))
    expect(freeAddress(SUBNET, all, 5)).toBeUndefined()
    expect(freeAddress('172.18.0.0/16', new Set(), 5)).toBeUndefined()
  })

  it('is never in the range that the engine assigns from', () => {
    expect(engineRange(SUBNET)).toBe('10.224.7.0/25')
  })
})
