import { expect, it } from 'vitest'
import { readHeaders } from './headers.ts'
import { nginxConfig } from './nginx.ts'
import { readRedirects } from './redirects.ts'

it.each([
  ['/a /b', { pattern: '^/a/?$', target: '/b', status: 301, isForced: false }],
  ['/a/* /b/:splat 200', { pattern: '^/a(?:/(?<p_splat>.*))?$', target: '/b/${p_splat}', status: 200, isForced: false }],
  ['/* /index.html 200', { pattern: '^(?:/(?<p_splat>.*))?$', target: '/index.html', status: 200, isForced: false }],
  [
    '/n/:year/:slug https://x.example/:slug?y=:year 302!',
    {
      pattern: String.raw`^/n/(?<p_year>[^/\x00-\x20\x5c\x7f]+)/(?<p_slug>[^/\x00-\x20\x5c\x7f]+)/?$`,
      target: 'https://x.example/${p_slug}?y=${p_year}',
      status: 302,
      isForced: true,
    },
  ],
  ['/a.b+c /d"e$f', { pattern: '^/a\\.b\\+c/?$', target: '/d\\"e%24f', status: 301, isForced: false }],
])('%s', (line, rule) => {
  expect(readRedirects(`# a comment\n\n${line}\n`)).toEqual({ rules: [rule], notes: [] })
})

it('rules that are not supported are reported with their lines', () => {
  const text = [
    '/a /b 301 Country=de',
    'https://x.example/* /y',
    '/a/*/b /c',
    '/a id=:id /b 301',
    '/ok /fine',
    '/a /b 299',
    '/a https://x.example 200',
  ].join('\n')
  const { rules, notes } = readRedirects(text)
  expect(rules).toHaveLength(1)
  expect(notes.join()).toContain('line 1, 2, 3, 4, 6 and 1 more is not supported')
})

it('headers apply to the paths above them, and those that would break the response are left out', () => {
  const { rules, notes } = readHeaders('/*\n  X-A: one "two"\n  Content-Length: 5\n/b/:c\n  X-A: three\nx\n  X-B: $y\n')
  expect(rules).toEqual([
    {
      name: 'X-A',
      values: [
        { pattern: '^/.*$', value: 'one \\"two\\"' },
        { pattern: '^/b/[^/]+$', value: 'three' },
      ],
    },
  ])
  expect(notes).toEqual(['_headers: line 3, 6, 7 cannot be used.'])
})

it.each(['/a/* https://x.example/:splat', '/a/:b /c/:b'])('%s passes on nothing that could end or change a header', (line) => {
  const pattern = new RegExp(readRedirects(line).rules[0]?.pattern ?? '')
  expect(pattern.test('/a/fine')).toBe(true)
  for (const hostile of ['x\r\nSet-Cookie: a=b', 'x y', '\\evil.example', 'x\u007f']) expect(pattern.test(`/a/${hostile}`)).toBe(false)
})

it.each(['/:a/:a /b', `/:${'n'.repeat(30)} /b`])('%s is skipped: nginx would not start with it', (line) => {
  expect(readRedirects(line)).toMatchObject({ rules: [], notes: [expect.stringContaining('line 1 is not supported')] })
})

function configOf(redirects: string): string[] {
  return nginxConfig({ port: 80, isSinglePage: false, redirects: readRedirects(redirects).rules, headers: [] })
}

it.each([
  ['/* /index.html 200!', 'break'],
  ['/a/* /a/:splat 200!', 'break'],
  ['/a /b 200!', 'break'],
  ['/a /b 200', 'last'],
])('%s ends, though it serves the other path', (line, flag) => {
  expect(
    configOf(line)
      .filter((each) => each.includes('rewrite ^'))
      .join(),
  ).toContain(`${flag};`)
})

const LONG = configOf('').flatMap((line) => /^ {4}"~([^"]+)" "public, max-age/.exec(line)?.[1] ?? [])
const isKept = (name: string) => LONG.some((pattern) => new RegExp(pattern).test(name))

it('names with a hash are kept for a year, plain names, numbers and dates are not', () => {
  for (const name of ['/assets/index-B4x9Kq2Z.js', '/main.2f3a4b5c.js', '/main-5PVS3ZKQ.js', '/assets/app-DiwrgTda.css'])
    expect([name, isKept(name)]).toEqual([name, true])
  for (const name of [
    '/hero-background2.png',
    '/photo-20240131.jpg',
    '/jquery-3.7.1.min.js',
    '/logo-Version2.svg',
    '/assets/photo-portrait.png',
  ])
    expect([name, isKept(name)]).toEqual([name, false])
})
