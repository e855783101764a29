import { expect, it } from 'vitest'
import { readSession } from './authenticate.ts'
import { clearedCookies, sessionCookies } from './session-cookie.ts'

const sent = (cookie: string | undefined, isTls: boolean) => ({ headers: cookie === undefined ? {} : { cookie }, url: '/', isTls })

it('is out of the reach of scripts and of other sites, and under TLS of other hosts', () => {
  const rest = 'Path=/; HttpOnly; SameSite=Lax; Max-Age'
  expect(sessionCookies(sent(undefined, false), 'abc')).toEqual([`berth_session=abc; ${rest}=2592000`])
  expect(sessionCookies(sent(undefined, true), 'abc')).toEqual([`__Host-berth_session=abc; ${rest}=2592000; Secure`])
  expect(clearedCookies(sent(undefined, true))).toEqual([`__Host-berth_session=; ${rest}=0; Secure`])
})

it('removes the cookie with the other name from a browser that has it', () => {
  const gone = 'Path=/; HttpOnly; SameSite=Lax; Max-Age=0'
  for (const cookies of [sessionCookies(sent('berth_session=old', true), 'abc'), clearedCookies(sent('berth_session=old', true))])
    expect(cookies).toEqual([expect.stringMatching(/^__Host-berth_session=/), `berth_session=; ${gone}; Secure`])
  for (const cookies of [
    sessionCookies(sent('__Host-berth_session=old', false), 'abc'),
    clearedCookies(sent('__Host-berth_session=old', false)),
  ])
    expect(cookies).toEqual([expect.stringMatching(/^berth_session=/), `__Host-berth_session=; ${gone}; Secure`])
})

it.each([
  [{ cookie: 'berth_session=abc' }, 'abc'],
  [{ cookie: 'a=b; berth_session=abc' }, 'abc'],
  [{ cookie: 'a=b;berth_session=abc' }, 'abc'],
  [{ cookie: 'a=b; berth_session=abc; c=d' }, 'abc'],
  [{ cookie: '__Host-berth_session=abc' }, 'abc'],
  [{ cookie: 'not_berth_session=abc' }, undefined],
  [{ cookie: 'a=berth_session=abc' }, undefined],
  [{ cookie: 'berth_session=' }, undefined],
  [{ cookie: 'berth_session' }, undefined],
  [{ cookie: 'a=b' }, undefined],
  [{ cookie: '' }, undefined],
  [{}, undefined],
  [{ authorization: 'Bearer abc' }, 'abc'],
  [{ authorization: 'bearer  abc' }, 'abc'],
  [{ authorization: 'Bearer abc', cookie: 'berth_session=other' }, 'abc'],
  [{ authorization: 'Bearer abc', cookie: 'berth_session=other; berth_session=another' }, 'abc'],
  [{ authorization: 'Basic abc', cookie: 'berth_session=other' }, undefined],
  [{ authorization: 'Bearer a b' }, undefined],
])('of %j the token is %s, over TLS only from a header or a cookie that no sibling host can set', (headers, token) => {
  expect(readSession({ headers, isTls: false })).toEqual({ token, isDoubled: false })
  const isPlain = 'cookie' in headers && !('authorization' in headers) && !headers.cookie.startsWith('__Host-')
  expect(readSession({ headers, isTls: true })).toEqual({ token: isPlain ? undefined : token, isDoubled: false })
})

it.each([
  ['berth_session=a; berth_session=b', 'doubled', undefined],
  ['berth_session=a;berth_session=b', 'doubled', undefined],
  ['berth_session=a; c=d; berth_session=a', 'doubled', undefined],
  ['berth_session=; berth_session=b', 'doubled', undefined],
  ['__Host-berth_session=a; __Host-berth_session=b', 'doubled', 'doubled'],
  ['__Host-berth_session=a; berth_session=b; berth_session=c', 'doubled', 'a'],
  ['__Host-berth_session=a; berth_session=b', 'doubled', 'a'],
  ['berth_session=b; __Host-berth_session=a', 'doubled', 'a'],
])('of "%s" nothing counts that a neighbour can have set: %s in the clear, %s over TLS', (cookie, clear, tls) => {
  const verdict = (isTls: boolean) => {
    const { token, isDoubled } = readSession({ headers: { cookie }, isTls })
    return isDoubled ? 'doubled' : token
  }
  expect([verdict(false), verdict(true)]).toEqual([clear, tls])
})
