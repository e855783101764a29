import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { jsonOf } from './delivery.ts'

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

it('a body with more parts than any push has is not parsed', () => {
  const bodies: [string, Record<string, string>][] = [
    [`{"x":[${'{},'.repeat(200_000)}{}]}`, {}],
    [`${'['.repeat(200_000)}${']'.repeat(200_000)}`, {}],
    [`[${'1,'.repeat(330_000)}1]`, {}],
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
  expect(jsonOf({ headers: FORM, body: Buffer.alloc(9_000_000) }).problem).toContain('Choose JSON')
})

it('a form is read as browsers write it', () => {
  const texts = fc.string({ unit: fc.constantFrom('a', '"', ' ', '+', '&', '=', '%', '%41', '%zz', '%2', 'ü', '🚀', '\\n'), maxLength: 12 })
  fc.assert(
    fc.property(texts, texts, (text, other) => {
      const json = JSON.stringify(text)
      const written = new URLSearchParams([
        ['other', other],
        ['payload', json],
        ['payload', '1'],
      ]).toString()
      expect(jsonOf({ headers: FORM, body: Buffer.from(written) })).toEqual({ body: text, problem: '' })
      const careless = `payload="${text.replaceAll(/["&\\]|[^ -~]/gu, '')}"`
      const expected = JSON.parse(new URLSearchParams(careless).get('payload') ?? '') as unknown
      expect(jsonOf({ headers: FORM, body: Buffer.from(careless) }).body).toEqual(expected)
    }),
  )
})

it('a form takes a few times as much memory as its bytes', async () => {
  const program = `
    const { workerData, parentPort } = require('node:worker_threads')
    const body = (letters) => Buffer.from('payload=' + letters.repeat(8 * 1024 * 1024 / letters.length - 8))
    import(workerData).then(({ jsonOf }) => {
      const headers = ${JSON.stringify(FORM)}
      parentPort.postMessage(['+', '%20', '%'].map((letters) => jsonOf({ headers, body: body(letters) }).problem))
    })`
  const workerData = new URL('delivery.ts', import.meta.url).href
  const worker = new Worker(program, { eval: true, workerData, resourceLimits: { maxOldGenerationSizeMb: 64 } })
  const unreadable = expect.stringContaining('neither JSON nor a form')
  expect(await Promise.race([once(worker, 'message'), once(worker, 'error')])).toEqual([[unreadable, unreadable, unreadable]])
  await worker.terminate()
})
