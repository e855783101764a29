import { expect, it } from 'vitest'
import { isAmbiguousPath } from './security.ts'

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
