import { describe, expect, it } from 'vitest'
import { askedFor, isAuthorized, wantedPart } from './requests.ts'

const DIGEST = `sha256:${'a'.repeat(64)}`

describe('what is asked for', () => {
  it('is the beginning of the conversation, a manifest or a blob', () => {
    expect(askedFor('/v2/')).toEqual({ is: 'ping' })
    expect(askedFor(`/v2/0f1e-2/manifests/${DIGEST}`)).toEqual({ is: 'manifest', name: '0f1e-2', digest: DIGEST })
    expect(askedFor(`/v2/pulled-i-1-ab/blobs/${DIGEST}?ns=x`)).toEqual({ is: 'blob', name: 'pulled-i-1-ab', digest: DIGEST })
  })

  it.each([
    '/',
    '/v2/_catalog',
    '/v2/x/tags/list',
    '/v2/x/manifests/release',
    '/v2/x/blobs/uploads/',
    `/v2/../x/blobs/${DIGEST}`,
    `/v2/..%2fx/blobs/${DIGEST}`,
    `/v2/x/y/blobs/${DIGEST}`,
    `/v2/-x/blobs/${DIGEST}`,
    `/v2/x/blobs/${DIGEST}/../../secrets.key`,
    `/v2/x/blobs/sha256:${'a'.repeat(63)}`,
    `/v2/x/blobs/sha256:../${'a'.repeat(61)}`,
    `/v2/${'x'.repeat(201)}/blobs/${DIGEST}`,
  ])('is nothing else: %s', (url) => {
    expect(askedFor(url)).toBeUndefined()
  })
})

it('gives the part of a blob that is missing', () => {
  expect(wantedPart(undefined, 10)).toBe('all')
  expect(wantedPart('bytes=0-0,5-6', 10)).toBe('all')
  expect(wantedPart('bytes=4-', 10)).toEqual({ start: 4, end: 9 })
  expect(wantedPart('bytes=4-5', 10)).toEqual({ start: 4, end: 5 })
  expect(wantedPart('bytes=4-500', 10)).toEqual({ start: 4, end: 9 })
  expect(wantedPart('bytes=10-', 10)).toBe('none')
  expect(wantedPart('bytes=6-5', 10)).toBe('none')
})

it('accepts the password and nothing like it', () => {
  const known = { username: 'berth', password: 'secret' }
  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
  expect(isAuthorized(basic('berth:secret'), known)).toBe(true)
  for (const header of [undefined, '', 'Basic', basic('berth:'), basic('berth:secret '), basic('other:secret'), 'Bearer secret'])
    expect(isAuthorized(header, known)).toBe(false)
})
