import type { IncomingMessage } from 'node:http'
import { expect, it } from 'vitest'
import { isAmbiguousPath, isForeignOrigin, originOf } from './security.ts'

it.each([
  '//api/auth/me',
  '/api//auth',
  '/api/./auth',
  '/api/../auth',
  '/.well-known',
  '/api%2fauth',
  '/api/%2e%2e/x',
  '/a\\b',
  '/a%5cb',
  '/a%00',
])('what two readers could read differently is ambiguous: %s', (path) => expect(isAmbiguousPath(path)).toBe(true))

it.each(['/api/auth/me', '/', '/api/apps/connection?x=//../%2f', '/a.b/c'])('%s is not', (path) =>
  expect(isAmbiguousPath(path)).toBe(false),
)

function request(headers: Record<string, string>, remoteAddress = '127.0.0.1'): IncomingMessage {
  return { headers, socket: { remoteAddress } } as unknown as IncomingMessage // the two fields that are read
}

it('believes forwarded headers from loopback alone', () => {
  const headers = { 'x-forwarded-for': '203.0.113.7, 10.0.0.1', 'x-forwarded-proto': 'https' }
  expect(originOf(request(headers), 'r')).toEqual({ address: '203.0.113.7', requestId: 'r', isTls: true, client: '' })
  expect(originOf(request(headers, '198.51.100.1'), 'r')).toEqual({ address: '198.51.100.1', requestId: 'r', isTls: false, client: '' })
  expect(originOf(request({ 'x-forwarded-for': 'x'.repeat(1000) }), 'r').address).toHaveLength(64)
})

it.each([
  [{ host: 'berth.example.com', origin: 'http://berth.example.com' }, false],
  [{ host: 'berth.example.com', origin: 'https://berth.example.com', 'x-forwarded-proto': 'https' }, false],
  [{ host: 'berth.example.com', origin: 'http://berth.example.com', 'x-forwarded-proto': 'https' }, true],
  [{ host: 'berth.example.com', origin: 'http://app.berth.example.com' }, true],
  [{ host: 'berth.example.com', origin: 'http://example.com' }, true],
  [{ host: 'berth.example.com', origin: 'http://berth.example.com:8080' }, true],
  [{ host: 'berth.example.com', origin: 'http://berth.example.com.evil.example' }, true],
  [{ host: 'berth.example.com', origin: 'null' }, true],
  [{ host: 'berth.example.com', 'sec-fetch-site': 'cross-site' }, true],
  [{ host: 'berth.example.com', 'sec-fetch-site': 'same-site' }, true],
  [{ host: 'berth.example.com', 'sec-fetch-site': 'same-origin' }, false],
  [{ host: 'berth.example.com' }, false],
])('%j is foreign: %s', (headers, isForeign) => expect(isForeignOrigin(request(headers))).toBe(isForeign))
