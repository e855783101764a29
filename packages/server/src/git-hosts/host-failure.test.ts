import { expect, it } from 'vitest'
import { connectionFailure, failureOf } from './host-failure.ts'

const NOW = new Date('2026-01-02T03:04:05Z')
const failure = (status: number, more: { headers?: Record<string, string>; body?: unknown } = {}) => {
  const {
    failure: kind,
    message,
    until,
  } = failureOf({ status, headers: more.headers ?? {}, text: JSON.stringify(more.body ?? {}), hostName: 'git.example.com' }, NOW)
  return [kind, message, until?.toISOString()]
}

it('what a host answers is a sentence that says what is wrong and what to do', () => {
  expect(failure(401, { body: { message: 'Bad credentials' } })).toEqual([
    'unauthorized',
    'git.example.com does not accept the token: it is wrong, has expired or was revoked. Make a new one there and connect the account again. It said: Bad credentials',
    undefined,
  ])
  expect(failure(403, { body: { message: 'Resource not accessible' } })[1]).toBe(
    'git.example.com does not allow the token to do this. Add the missing permissions. It said: Resource not accessible',
  )
  expect(failure(404)[1]).toBe('git.example.com did not find it. Check the name, and that the token has access to it.')
  expect(failure(301)[1]).toContain('Connect the account with its current address')
  expect(failure(503)).toEqual(['unavailable', 'git.example.com reports an error (503). Try again later.', undefined])
  expect(failure(422, { body: { message: 'Validation Failed' } })[1]).toBe(
    'git.example.com rejected the request (422). It said: Validation Failed',
  )
})

it('a limit says when it ends, where the host says so, and is no lack of permissions', () => {
  const limit = (until: string) => `git.example.com limits the number of requests, until ${until} UTC. Try again then.`
  const reset = String(Date.parse('2026-01-02T04:00:00Z') / 1000)
  const primary = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset }
  expect(failure(403, { headers: primary })).toEqual(['rate_limited', limit('2026-01-02 04:00'), '2026-01-02T04:00:00.000Z'])
  expect(failure(429, { headers: { 'retry-after': '120' } })).toEqual([
    'rate_limited',
    limit('2026-01-02 03:06'),
    '2026-01-02T03:06:05.000Z',
  ])
  const open = ['rate_limited', 'git.example.com limits the number of requests. Try again in a few minutes.', undefined]
  expect(failure(429)).toEqual(open)
  expect(failure(403, { body: { message: 'You have exceeded a secondary rate limit.' } })).toEqual(open)
})

it('a host that cannot be reached, and one whose certificate nobody knows, are told apart', () => {
  const why = (code: string) => connectionFailure(Object.assign(new Error('x'), { code }), 'git.example.com')
  expect(why('ECONNREFUSED')).toMatchObject({
    failure: 'unavailable',
    message: 'git.example.com does not answer. Check its address, or try again later.',
  })
  expect(why('DEPTH_ZERO_SELF_SIGNED_CERT').message).toContain('name its file in BERTH_CA_FILE')
})
