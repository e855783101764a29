import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseCloneUrl } from './clone-url.ts'

describe('a clone URL', () => {
  it.each([
    ['https://github.com/o/r.git', { kind: 'https', host: 'github.com', port: 443, href: 'https://github.com/o/r.git' }],
    ['http://git.example.test:8080/r', { kind: 'http', host: 'git.example.test', port: 8080, href: 'http://git.example.test:8080/r' }],
    ['ssh://git@host.test:2222/o/r.git', { kind: 'ssh', host: 'host.test', port: 2222, href: 'ssh://git@host.test:2222/o/r.git' }],
    ['git@github.com:o/r.git', { kind: 'ssh', host: 'github.com', port: 22, href: 'ssh://git@github.com/o/r.git' }],
    ['HTTPS://GitHub.com/o/r', { kind: 'https', host: 'github.com', port: 443, href: 'https://github.com/o/r' }],
    ['http://[::1]:3000/r', { kind: 'http', host: '::1', port: 3000, href: 'http://[::1]:3000/r' }],
    ['http://0x7f.1/r', { kind: 'http', host: '127.0.0.1', port: 80, href: 'http://127.0.0.1/r' }],
    ['http://2130706433/r', { kind: 'http', host: '127.0.0.1', port: 80, href: 'http://127.0.0.1/r' }],
    ['https://host.test/~user/r%20x.git', { kind: 'https', host: 'host.test', port: 443, href: 'https://host.test/~user/r%20x.git' }],
    ['file:///srv/git/r.git', { kind: 'file', path: '/srv/git/r.git', href: 'file:///srv/git/r.git' }],
  ])('%s is understood', (text, expected) => {
    expect(parseCloneUrl(text)).toEqual(expected)
  })

  it.each([
    '',
    'x',
    '--upload-pack=touch /tmp/canary',
    '-oProxyCommand=touch x',
    'ext::sh -c touch% /tmp/canary',
    'ext::sh',
    'fd::17',
    'ssh://-oProxyCommand=touch%20x/r',
    'ssh://-oProxyCommand=x/r',
    'ssh://git@-oProxyCommand=x/r',
    'git@-oProxyCommand=x:o/r',
    '-x@host:o/r',
    'git@host:-o/r',
    'ssh://git@a$(touch x)/o/r',
    'https://a`id`/r',
    'https://host.test/$(id)',
    'https://host.test/a;id',
    'https://host.test/a b',
    'https://host.test/a\nb',
    'https://host.test/a\u0000b',
    'https://host.test/a\\b',
    'https://host.test/../x',
    'https://host.test/%2e%2e/x',
    'https://host.test/a%2fb',
    'https://host.test/a%0ab',
    'https://host.test/-x',
    'https://host.test/r?x=1',
    'https://host.test/r#x',
    'https://host.test/',
    'https:///r',
    'https://user:secret@host.test/r',
    'https://token@host.test/r',
    'ssh://git:secret@host.test/r',
    'git://host.test/r',
    'ftp://host.test/r',
    'javascript:alert(1)',
    'data:text/plain,x',
    'http+unix://x/r',
    '/var/lib/docker',
    './r',
    '../r',
    'C:\\r',
    'file://host/r',
    'file://',
    'file:///',
    'file:///a/../etc',
    'file:///a%2e',
    'https://host.test:0/r',
    'https://host.test:99999/r',
    'https://ho_st..test/r',
    'https://host.test/ü'.normalize() + '\u202e;',
    `https://host.test/${'a'.repeat(3000)}`,
  ])('%j is none', (text) => {
    // The URL standard folds dot segments away before anyone sees them; what is left must stay on the host.
    const href = parseCloneUrl(text)?.href ?? 'none'
    expect(href).toMatch(/^(none|https:\/\/host\.test\/x|file:\/\/\/etc)$/)
  })

  it('never yields an option, a space, a control character or another scheme, whatever comes in', () => {
    const pieces = fc.array(
      fc.constantFrom(
        'https://',
        'ssh://',
        'git@',
        'ext::',
        'file://',
        'host',
        '-',
        '--',
        ':',
        '/',
        '@',
        '%',
        '$(id)',
        '\n',
        ' ',
        '..',
        'a',
        '[::1]',
        '\\',
        '`',
        ';',
        '2f',
        '\u0000',
        'ü',
      ),
      { maxLength: 12 },
    )
    const texts = fc.oneof(
      pieces.map((parts) => parts.join('')),
      fc.string({ unit: 'binary' }),
      fc.webUrl(),
    )
    const property = fc.property(texts, (text) => {
      const parsed = parseCloneUrl(text)
      if (parsed === null) return true
      const isPlain = /^(https?|ssh|file):\/\/[^-\s][!-~]*$/.test(parsed.href) && !/[`$;|&<>"'\\(){} ]/.test(parsed.href)
      return isPlain && (parsed.kind === 'file' || /^[a-z0-9_:][a-z0-9_.:-]*$/.test(parsed.host))
    })
    expect(fc.check(property, { numRuns: 2000 }).counterexample).toBeNull()
  })

  it('is the same when it is read again', () => {
    for (const text of ['git@github.com:o/r.git', 'http://0x7f.1/r', 'https://GitHub.com:443/o/r']) {
      const once = parseCloneUrl(text)
      expect(parseCloneUrl(once?.href ?? '')).toEqual(once)
    }
  })
})
