import { expect, it } from 'vitest'
import { authHeader } from './registry.ts'

it.each(['a', 'ab', 'abc', 'abcd', '>>>???~~~', 'ÿÿÿ'])(
  'credentials with the password %s are encoded as the engine reads them',
  (password) => {
    const header = authHeader({ host: 'docker.io', username: 'ada', password })['x-registry-auth'] ?? ''
    expect(header).toMatch(/^[A-Za-z0-9_-]+={0,2}$/)
    expect(header.length % 4).toBe(0)
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({
      username: 'ada',
      password,
      serveraddress: 'https://index.docker.io/v1/',
    })
  },
)

it('without credentials there is no header', () => {
  expect(authHeader(undefined)).toEqual({})
})
