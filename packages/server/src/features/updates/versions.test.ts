import { describe, expect, it } from 'vitest'
import { compareVersions, isPatchOf, isVersion } from './versions.ts'

describe('versions', () => {
  it('are ordered as semantic versions, not as texts', () => {
    const ordered = [
      '0.1.0',
      '0.9.0',
      '0.10.0',
      '1.0.0-alpha',
      '1.0.0-next.2',
      '1.0.0-next.10',
      '1.0.0-next.10.1',
      '1.0.0',
      '1.0.1',
      '10.0.0',
    ]
    expect(ordered.toReversed().toSorted(compareVersions)).toEqual(ordered)
    expect(compareVersions('1.2.3', '1.2.3')).toBe(0)
  })

  it('of other shapes are not versions', () => {
    for (const text of ['', '1', '1.2', 'v1.2.3', '1.2.3+build', '../1.2.3', '1.2.3-../x', '1.2.3 '])
      expect(isVersion(text), text).toBe(false)
  })

  it('know what only mends something', () => {
    expect(isPatchOf('1.2.4', '1.2.3')).toBe(true)
    expect(isPatchOf('1.3.0', '1.2.3')).toBe(false)
    expect(isPatchOf('1.2.4-next.1', '1.2.3')).toBe(false)
  })
})
