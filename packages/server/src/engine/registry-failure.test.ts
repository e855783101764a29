import { expect, it } from 'vitest'
import { EngineError } from './api/errors.ts'
import { platformProblem, registryFailure } from './registry-failure.ts'

const ASKED = { host: 'ghcr.io', image: 'ghcr.io/owner/web:1', hasCredentials: true }
const said = (message: string, asked: Partial<typeof ASKED> = {}) => registryFailure(new EngineError(500, message), { ...ASKED, ...asked })

it.each([
  ['unauthorized: authentication required', 'unauthorized', 'save new credentials under Registries'],
  [
    'errors:\ndenied: requested access to the resource is denied\nunauthorized: authentication required\n',
    'unauthorized',
    'have no access to it',
  ],
  ['Get https://ghcr.io/v2/: no basic auth credentials', 'unauthorized', 'ghcr.io does not allow access to'],
  ['manifest unknown: manifest unknown', 'missing', 'Check its name and its tag'],
  ['no matching manifest for linux/arm64/v8 in the manifest list entries', 'missing', 'not available for the platform'],
  ['toomanyrequests: You have reached your pull rate limit.', 'rate_limited', 'limits the number of requests'],
  ['received unexpected HTTP status: 429 Too Many Requests', 'rate_limited', 'Try again later'],
  ['Get "https://ghcr.io/v2/": dial tcp: lookup ghcr.io: no such host', 'unavailable', 'could not be found. Check its spelling'],
  ['x509: certificate signed by unknown authority', 'unavailable', '/etc/docker/certs.d/ghcr.io/ca.crt'],
  ['dial tcp 192.0.2.1:443: connect: connection refused', 'unavailable', 'does not answer'],
  ['something new', 'unavailable', 'ghcr.io reported a problem: something new'],
])('%j is %s', (message, kind, words) => {
  const failure = said(message)
  expect(failure.kind).toBe(kind)
  expect(failure.message).toContain(words)
})

it('says what helps somebody without credentials', () => {
  expect(said('unauthorized: authentication required', { hasCredentials: false }).message).toContain(
    'save credentials for ghcr.io under Registries',
  )
  expect(said('toomanyrequests: slow down', { hasCredentials: false }).message).toContain('limits are higher with an account')
})

it('tells an image for another platform from one that fits, and from one that does not say', () => {
  expect(platformProblem('web:1', ['linux/amd64', 'linux/386'], 'linux/arm64')?.message).toContain(
    'web:1 is available for linux/amd64, linux/386, but this server needs linux/arm64.',
  )
  for (const platforms of [[], ['linux/arm64']]) expect(platformProblem('web:1', platforms, 'linux/arm64')).toBe(undefined)
})
