import { expect, it } from 'vitest'
import { placementOptions } from './placement-options.ts'

const servers = [
  { id: 'a', name: 'one', isThis: true, labels: ['ssd'] },
  { id: 'b', name: 'two', isThis: false, labels: ['gpu', 'ssd'] },
]

it('offers every other server and every label once', () => {
  expect(placementOptions(servers, '').map(({ value }) => value)).toEqual(['', 'this', 'server:b', 'label:gpu', 'label:ssd'])
})

it('keeps the value of an app whose server is gone', () => {
  expect(placementOptions(servers, 'server:c').at(-1)).toEqual({ value: 'server:c', label: 'server:c (not found)' })
})
