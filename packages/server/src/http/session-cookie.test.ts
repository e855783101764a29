import { expect, it } from 'vitest'
import { clearedSessionCookie, sessionCookie, tokenOf } from './session-cookie.ts'

it('is out of the reach of scripts and of other sites, and secure under TLS', () => {
  expect(sessionCookie('abc', false)).toBe('berth_session=abc; Path=/; HttpOnly; SameSite=Lax; Max-Age=2592000')
  expect(sessionCookie('abc', true)).toMatch(/; Secure$/)
  expect(clearedSessionCookie(true)).toBe('berth_session=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0; Secure')
})

it.each([
  [{ cookie: 'berth_session=abc' }, 'abc'],
  [{ cookie: 'a=b; berth_session=abc' }, 'abc'],
  [{ cookie: 'a=b; berth_session=abc; c=d' }, 'abc'],
  [{ cookie: 'not_berth_session=abc' }, undefined],
  [{ cookie: 'a=berth_session=abc' }, undefined],
  [{ cookie: 'berth_session=' }, undefined],
  [{ cookie: 'a=b' }, undefined],
  [{ cookie: '' }, undefined],
  [{}, undefined],
  [{ authorization: 'Bearer abc' }, 'abc'],
  [{ authorization: 'bearer  abc' }, 'abc'],
  [{ authorization: 'Bearer abc', cookie: 'berth_session=other' }, 'abc'],
  [{ authorization: 'Basic abc', cookie: 'berth_session=other' }, undefined],
  [{ authorization: 'Bearer a b' }, undefined],
])('of %j the token is %s', (headers, token) => expect(tokenOf(headers)).toBe(token))
