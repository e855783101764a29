import { expect, it } from 'vitest'
import { strayCookies } from './stray-cookies.ts'

const two = { host: 'berth.example.com:8080', cookie: 'berth_session=a; berth_session=b' }

it('says nothing while there is one session', () => {
  expect(strayCookies({ headers: { ...two, cookie: 'berth_session=a' }, url: '/api/auth/me', isTls: false })).toEqual([])
  expect(strayCookies({ headers: { ...two, cookie: '__Host-berth_session=a; berth_session=b' }, url: '/', isTls: true })).toEqual([])
})

it('removes every cookie that can have come along, but not the one that is ours alone', () => {
  const lines = strayCookies({ headers: two, url: '/api/auth/me?x=1', isTls: false })
  for (const path of ['/', '/api', '/api/', '/api/auth', '/api/auth/', '/api/auth/me'])
    for (const domain of ['', '; Domain=berth.example.com', '; Domain=example.com'])
      expect([path, domain, lines.includes(`berth_session=; Path=${path}${domain}; Max-Age=0`)]).toEqual([
        path,
        domain,
        path + domain !== '/',
      ])
  expect(lines.join()).not.toContain('Domain=com')
})

it('removes the name for TLS where it came in the clear, or twice', () => {
  const gone = '__Host-berth_session=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0; Secure'
  const first = (cookie: string, isTls: boolean) => strayCookies({ headers: { ...two, cookie }, url: '/', isTls })[0]
  expect(first('__Host-berth_session=a; berth_session=b', false)).toBe(gone)
  expect(first('__Host-berth_session=a; __Host-berth_session=b', true)).toBe(gone)
  expect(first('__Host-berth_session=a; berth_session=b; berth_session=c', true)).toBe(undefined)
})

it.each([
  ['127.0.0.1:8080', '/api/auth/me'],
  ['[::1]:8080', '/api/auth/me'],
  ['localhost', '/x;Domain=evil.example/y'],
  ['a b', '/'],
  ['x; Secure', '/'],
  [`${'a.'.repeat(60)}example.com`, `/${'a/'.repeat(2000)}`],
])('is bounded and well formed whatever the host and the path are: %s', (host, url) => {
  const lines = strayCookies({ headers: { ...two, host }, url, isTls: false })
  expect(lines.length).toBeLessThanOrEqual(30)
  for (const line of lines) expect(line).toMatch(/^berth_session=; Path=\/[\w/-]*(?:; Domain=[\w.-]+)?; Max-Age=0$/)
})
