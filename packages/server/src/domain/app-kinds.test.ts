import { APP_TYPES } from '@berth/contract'
import { expect, it } from 'vitest'
import { APP_KINDS, kindOf, typesWhere } from './app-kinds.ts'

it('an app with data is not routed while one release replaces the other', () => {
  for (const type of APP_TYPES) {
    const { keepsData, isRouted } = kindOf({ type })
    expect(keepsData && isRouted).toBe(false)
  }
})

it('an app that needs a port gets one', () => {
  for (const type of APP_TYPES) {
    const { needsPort, defaultPort } = kindOf({ app_type: type })
    expect(needsPort).toBe(defaultPort !== null)
  }
})

it('gives the types for a query', () => {
  expect(typesWhere(({ isRouted }) => isRouted)).toEqual(['web', 'compose'])
  expect(typesWhere(({ madeFrom }) => madeFrom === 'dockerfile')).toEqual(['web', 'service'])
  expect(typesWhere(() => true)).toEqual(Object.keys(APP_KINDS))
})
