import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { containerName, idFrom, isOurs, labelsOf, projectNetworkName, volumeName } from './labels.ts'

describe('labels and names', () => {
  it('come from ids alone', () => {
    expect(containerName('abc', 4, 17)).toBe('berth-abc-app-4-d17')
    expect(volumeName('abc', 4)).toBe('berth-abc-app-4-volume')
    expect(projectNetworkName('abc', 9)).toBe('berth-abc-project-9')
  })

  it('refuse whatever is not an id or an instance', () => {
    for (const id of [0, -1, 1.5, Number.NaN, 2 ** 60]) expect(() => containerName('ab12', id, 1)).toThrow('not an id')
    for (const instance of ['', 'A', 'a-b', '../x', 'a\n', 'x'.repeat(25)])
      expect(() => containerName(instance, 1, 1)).toThrow('not an instance')
  })

  it('are read back as they were written', () => {
    const ids = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })
    fc.assert(
      fc.property(ids, ids, ids, (projectId, appId, deploymentId) => {
        const labels = labelsOf({ instance: 'abc', kind: 'app', projectId, appId, deploymentId })
        expect([idFrom(labels, 'project'), idFrom(labels, 'app'), idFrom(labels, 'deployment')]).toEqual([projectId, appId, deploymentId])
        expect(isOurs(labels, 'abc')).toBe(true)
        expect(isOurs(labels, 'abd')).toBe(false)
      }),
    )
  })

  it('give no id where a label is missing or foreign', () => {
    expect(idFrom({}, 'app')).toBeNull()
    expect(idFrom({ 'berth.app': '1; rm' }, 'app')).toBeNull()
    expect(idFrom({ 'berth.app': '01' }, 'app')).toBeNull()
  })
})
