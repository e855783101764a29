import { expect, it } from 'vitest'
import { createMissingRoute } from './not-found.ts'

const missing = createMissingRoute()

it('names the methods of a known path', () => {
  const error = missing('/api/projects/7?x=1')
  expect([error.code, error.message]).toEqual(['method_not_allowed', 'This URL only accepts GET.'])
  expect(missing('/api/settings').message).toBe('This URL only accepts GET and PUT.')
})

it('says that a socket wants an upgrade', () => {
  expect(missing('/api/ws/metrics').message).toContain('WebSocket')
  expect(missing('/api/ws/deployment/7').code).toBe('invalid_request')
})

it('is a plain 404 otherwise', () => {
  expect(missing('/api/nothing').code).toBe('not_found')
  expect(missing('/api/projects/7/8').code).toBe('not_found')
  expect(missing('/API/projects').code).toBe('not_found')
})
