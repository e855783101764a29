import { expect, it } from 'vitest'
import { labelsOf, ownerOf } from '../../engine/labels.ts'
import { createLinePrefix } from './log-services.ts'

const shown = (...services: string[]) =>
  services.map((service, index) => ({ owner: ownerOf(labelsOf({ instance: 'abc', kind: 'app', service, replica: index + 1 })) }))

it('a line says which service and which replica printed it, where there are several', () => {
  expect(createLinePrefix(shown(''), 'web')({ service: '', replica: 1 })).toBe('')
  expect(createLinePrefix(shown('', ''), 'web')({ service: '', replica: 2 })).toBe('replica 2 | ')
  const prefix = createLinePrefix(shown('web', 'web', 'db'), 'web')
  expect([prefix({ service: 'web', replica: 2 }), prefix({ service: 'db', replica: 1 })]).toEqual(['web replica 2 | ', 'db | '])
})
