import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hostProblem, normalHost } from './host-name.ts'

describe('normalHost', () => {
  it('compares hosts without regard to case, spaces and one trailing dot', () => {
    expect(normalHost('  App.Example.COM. ')).toBe('app.example.com')
    expect(normalHost('app.example.com')).toBe('app.example.com')
  })
})

describe('hostProblem', () => {
  it.each(['app.example.com', 'a.b', 'xn--bcher-kva.example', 'my-app.example.co.uk', `${'a'.repeat(63)}.example.com`, '1st.example.com'])(
    'takes %s',
    (host) => expect(hostProblem(host)).toBeUndefined(),
  )

  it.each([
    ['*.example.com', 'wildcards'],
    ['127.0.0.1', 'not an address'],
    ['[::1]', 'not an address'],
    ['::1', 'not an address'],
    ['1.2.3', 'not an address'],
    ['example', 'full host name'],
    ['-a.example.com', 'letters'],
    ['a-.example.com', 'letters'],
    ['a..example.com', 'letters'],
    ['a_b.example.com', 'letters'],
    ['a b.example.com', 'letters'],
    ['bücher.example', 'letters'],
    [`${'a'.repeat(64)}.example.com`, 'letters'],
    [`${'a.'.repeat(130)}com`, '253'],
    ['app.example.123', 'number'],
    ['app.example.com:80', 'letters'],
    ['app.example.com/x', 'letters'],
    ['', 'full host name'],
  ])('refuses %s and says why', (host, words) => expect(hostProblem(host)).toContain(words))

  it('never lets through anything but letters, digits, dashes and dots', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const host = normalHost(text)
        expect(hostProblem(host) !== undefined || /^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(host)).toBe(true)
      }),
    )
  })
})
