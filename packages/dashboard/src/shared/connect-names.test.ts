import { expect, it } from 'vitest'
import { connectionReference, usualName } from './connect-names.ts'

it('a database is connected under the name that libraries look for', () => {
  const names = ['postgresql', 'mysql', 'mariadb', 'redis', 'mongodb'].map((template_name) => usualName({ template_name }))
  expect(names).toEqual(['DATABASE_URL', 'DATABASE_URL', 'DATABASE_URL', 'REDIS_URL', 'MONGODB_URL'])
  expect(connectionReference({ slug: 'main-store' })).toBe('${{main-store.URL}}')
})
