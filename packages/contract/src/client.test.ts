import { expect, it } from 'vitest'
import { ApiError, createClient, requestFor } from './client.ts'

function clientThatGets(status: number, body: string, seen: { url: string; init: RequestInit | undefined }[] = []) {
  const answer: typeof fetch = async (url, init) => {
    seen.push({ url: String(url instanceof Request ? url.url : url), init })
    return new Response(body, { status })
  }
  return createClient({ baseUrl: 'http://berth.test', fetch: answer })
}

it('splits an input over the address, the query and the body', () => {
  expect(requestFor('projects.get', { id: 7 })).toEqual({ method: 'GET', path: '/api/projects/7' })
  expect(requestFor('containers.logs', { appId: 7, tail: 5 })).toEqual({ method: 'GET', path: '/api/apps/container/logs?appId=7&tail=5' })
  expect(requestFor('containers.logs', { appId: 7 }).path).toBe('/api/apps/container/logs?appId=7')
  expect(requestFor('envs.create', { appId: 7, key: 'A', value: 'b', other: 1 })).toEqual({
    method: 'POST',
    path: '/api/apps/envs/create',
    body: '{"appId":7,"key":"A","value":"b"}',
  })
  expect(requestFor('deployments.log', { deploymentId: '../x' }).path).toBe('/api/deployment/logs/..%2Fx')
})

it('unwraps the envelope, and returns a bare response or a text as it is', async () => {
  expect(await clientThatGets(200, '{"success":true,"data":[]}')('projects.list')).toEqual([])
  expect(await clientThatGets(200, '{"id":3}')('deployments.add', { appId: 1 })).toEqual({ id: 3 })
  expect(await clientThatGets(200, 'line\n')('deployments.log', { deploymentId: 1 })).toBe('line\n')
})

it('sends a body as JSON, and only where there is one', async () => {
  const seen: { url: string; init: RequestInit | undefined }[] = []
  const call = clientThatGets(200, '{"success":true,"data":{}}', seen)
  await call('apps.get', { appId: 1 })
  await call('auth.logout')
  expect(seen.map(({ url, init }) => [url, init?.method, init?.headers, init?.body])).toEqual([
    ['http://berth.test/api/apps/get/id', 'POST', { 'content-type': 'application/json' }, '{"appId":1}'],
    ['http://berth.test/api/auth/logout', 'POST', {}, undefined],
  ])
})

it('a refusal is an error with the code, the status and the fields', async () => {
  const body = '{"success":false,"error":"name is required.","code":"invalid_request","details":[{"field":"name","message":"is required"}]}'
  const refused = clientThatGets(400, body)('projects.create', { name: '' })
  await expect(refused).rejects.toBeInstanceOf(ApiError)
  await expect(refused).rejects.toMatchObject({
    status: 400,
    code: 'invalid_request',
    message: 'name is required.',
    details: [{ field: 'name' }],
  })
})

it('an answer that is not ours, and none at all, are errors too', async () => {
  await expect(clientThatGets(502, '<html>')('auth.me', {})).rejects.toMatchObject({ status: 502, code: 'unknown' })
  const broken: typeof fetch = async () => {
    throw new TypeError('fetch failed')
  }
  await expect(createClient({ fetch: broken })('auth.me', {})).rejects.toMatchObject({ status: 0, code: 'unreachable' })
})
