import { VOLUME_NAME } from '@berth/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  appVolumeName,
  containerName,
  isOfRelease,
  labelsOf,
  ownedBy,
  ownerOf,
  projectNetworkName,
  sharedLabel,
  volumeInSettings,
  volumeName,
} from './labels.ts'

function nameOrNothing(volume: string): string {
  try {
    return appVolumeName('abc', 4, volume)
  } catch {
    return ''
  }
}

describe('labels and names', () => {
  it('come from ids alone', () => {
    expect(containerName('abc', 4, 17)).toBe('berth-abc-app-4-d17')
    expect(containerName('abc', 4, 17, 3)).toBe('berth-abc-app-4-d17-r3')
    expect(volumeName('abc', 4)).toBe('berth-abc-app-4-volume')
    expect(projectNetworkName('abc', 9)).toBe('berth-abc-project-9')
  })

  it('find a volume of the settings again by its name, and accept exactly the names of the contract', () => {
    const name = fc.oneof(fc.stringMatching(new RegExp(VOLUME_NAME)), fc.string(), fc.constantFrom('', '-', 'a-', '-a', 'A', '../x', 'a\n'))
    fc.assert(
      fc.property(name, (volume) => {
        const found = volumeInSettings(nameOrNothing(volume))
        expect(found).toBe(new RegExp(VOLUME_NAME).test(volume) ? volume : '')
      }),
    )
    for (const other of [volumeName('abc', 4), 'berth-abc-app-4_volume-x', 'berth-abc-app-4-v0123456789abcdef', 'x'])
      expect(volumeInSettings(other)).toBe('')
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
        expect(ownerOf(labels)).toEqual({ instance: 'abc', projectId, appId, deploymentId, definition: null, service: null, replica: 1 })
        expect(labels).toMatchObject(ownedBy({ instance: 'abc', appId }))
      }),
    )
  })

  it('give no id where a label is missing or foreign', () => {
    const nobody = { instance: null, projectId: null, appId: null, deploymentId: null, definition: null, service: null, replica: 1 }
    expect(ownerOf({})).toEqual(nobody)
    for (const foreign of ['1; rm', '01', '0', '-1', '1e3', '']) {
      expect(ownerOf({ 'berth.app': foreign, 'berth.project': foreign, 'berth.deployment': foreign })).toEqual(nobody)
    }
  })

  it('say whether a container is of a release or shared by all of them', () => {
    const own = ownerOf(labelsOf({ instance: 'abc', kind: 'compose', appId: 4, deploymentId: 17, service: 'web' }))
    expect([isOfRelease(own, 17), isOfRelease(own, 18), own.service]).toEqual([true, false, 'web'])
    const shared = ownerOf({ 'berth.deployment': sharedLabel('{}') })
    expect([isOfRelease(shared, 17), shared.deploymentId, shared.definition]).toEqual([true, 'shared', sharedLabel('{}')])
  })

  it('are looked for without their kind', () => {
    expect(ownedBy({ instance: 'abc', appId: 4 })).toEqual({ 'berth.instance': 'abc', 'berth.app': '4' })
  })
})
