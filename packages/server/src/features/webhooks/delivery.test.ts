import { expect, it } from 'vitest'
import { jsonOf } from './delivery.ts'

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

it('a body with more parts than any push has is not parsed', () => {
  const bodies: [string, Record<string, string>][] = [
    [`{"x":[${'{},'.repeat(200_000)}{}]}`, {}],
    [`${'['.repeat(200_000)}${']'.repeat(200_000)}`, {}],
    [`[${'1,'.repeat(1_100_000)}1]`, {}],
    [`payload=${encodeURIComponent(`[${'{},'.repeat(110_000)}{}]`)}`, FORM],
    [`${'a&'.repeat(1000)}payload={}`, FORM],
  ]
  for (const [text, headers] of bodies)
    expect(jsonOf({ headers, body: Buffer.from(text) })).toEqual({ body: undefined, problem: expect.stringContaining('too many parts') })
})

it('a push with as many commits as GitHub lists is parsed, as JSON and as a form', () => {
  const person = { name: 'Grace', email: 'grace@example.com' }
  const files = Array.from({ length: 100 }, (_, n) => `src/{a,b}/${n}.ts`)
  const commit = { id: 'a'.repeat(40), author: person, committer: person, added: [], removed: [], modified: files.slice(0, 10) }
  const push = { commits: Array.from({ length: 2048 }, () => commit), head_commit: { ...commit, modified: files } }
  const text = JSON.stringify(push)
  expect(JSON.stringify(jsonOf({ headers: {}, body: Buffer.from(text) }).body)).toBe(text)
  const form = Buffer.from(new URLSearchParams({ payload: text }).toString())
  expect(JSON.stringify(jsonOf({ headers: FORM, body: form }).body)).toBe(text)
})

it('a body that is not JSON is reported as such', () => {
  expect(jsonOf({ headers: {}, body: Buffer.from('{') }).problem).toContain('neither JSON nor a form')
  expect(jsonOf({ headers: FORM, body: Buffer.from('x=1') }).problem).toContain('neither JSON nor a form')
})
