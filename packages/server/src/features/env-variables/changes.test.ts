import { expect, it } from 'vitest'
import { environmentChanges as changesOf, type Released } from './changes.ts'

const environmentChanges = (env: Record<string, string>, released: Released) => changesOf({ env, problems: [] }, released)

it('lists the names of added, changed and removed variables, and no values', () => {
  const changes = environmentChanges(
    { SAME: 'same-value', OTHER: 'new-value', FRESH: 'fresh-value' },
    { env: { SAME: 'same-value', OTHER: 'old-value', GONE: 'gone-value', PORT: '3000' }, port: 3000 },
  )
  expect(changes).toEqual([
    { key: 'OTHER', is: 'changed' },
    { key: 'FRESH', is: 'added' },
    { key: 'GONE', is: 'removed' },
  ])
  expect(JSON.stringify(changes)).not.toContain('value')
})

it('the PORT that Berth sets is not a variable of the user', () => {
  const given = { env: { PORT: '3000' }, port: 3000 }
  expect(environmentChanges({}, given)).toEqual([])
  expect(environmentChanges({ PORT: '3000' }, given)).toEqual([])
  expect(environmentChanges({ PORT: '4000' }, given)).toEqual([{ key: 'PORT', is: 'changed' }])
  expect(environmentChanges({}, { env: { PORT: '4000' }, port: 3000 })).toEqual([{ key: 'PORT', is: 'removed' }])
})

it('names that every object has are names like any other', () => {
  expect(environmentChanges({ constructor: 'a' }, { env: { toString: 'b' }, port: null })).toEqual([
    { key: 'constructor', is: 'added' },
    { key: 'toString', is: 'removed' },
  ])
})

it('a variable that cannot be resolved is a change, whatever the release had', () => {
  const problems = ['A', 'B'].map((key) => ({ key, message: '' }))
  expect(changesOf({ env: {}, problems }, { env: { A: '' }, port: null })).toEqual([
    { key: 'A', is: 'changed' },
    { key: 'B', is: 'added' },
  ])
})
