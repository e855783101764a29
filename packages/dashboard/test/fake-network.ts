import { type Answer, type Input, type OperationName, operations } from '@berth/contract'
import { Check } from 'typebox/schema'
import { vi } from 'vitest'

/** An error answer of the server. */
export class Refusal {
  readonly status: number
  readonly body: { error: string; code: string; details?: { field: string; message: string }[] }
  constructor(status: number, body: Refusal['body']) {
    this.status = status
    this.body = body
  }
}

type Reply<Name extends OperationName> = Answer<Name> | Refusal
/** What the server would answer, by operation: a value, or a function of what was sent. */
export type Replies = { [Name in OperationName]?: Reply<Name> | ((input: Input<Name>) => Reply<Name>) }
type Line = { method: string; path: string; shape: string; answer: object }

const names = Object.keys(operations) as OperationName[] // the keys of the list are the names

function operationOf(method: string, path: string): OperationName | undefined {
  return names.find((name) => {
    const line: Line = operations[name]
    return line.method === method && new RegExp(`^${line.path.replaceAll(/:\w+/g, '[^/]+')}$`).test(path)
  })
}

/** Stands in for `fetch` and `WebSocket`, so that everything above them is the real dashboard. Answers must fit the contract. */
export function fakeNetwork(replies: Replies) {
  const unanswered: string[] = []
  const sent: { name: OperationName; body: unknown }[] = []

  function answer(url: string, init: RequestInit): Response {
    const { pathname } = new URL(url, location.origin)
    const name = operationOf(init.method ?? 'GET', pathname)
    if (name === undefined || !(name in replies)) {
      unanswered.push(`${init.method ?? 'GET'} ${url}`)
      return Response.json({ error: 'The test has no answer for this.', code: 'internal_error' }, { status: 500 })
    }
    const body: unknown = typeof init.body === 'string' ? JSON.parse(init.body) : undefined
    sent.push({ name, body })
    const given = replies[name]
    // `Replies` pairs each function with the input of its operation
    const reply = typeof given === 'function' ? (given as (input: unknown) => unknown)(body) : given
    if (reply instanceof Refusal) return Response.json({ success: false, ...reply.body }, { status: reply.status })
    const line: Line = operations[name]
    if (!Check(line.answer, reply)) throw new Error(`the answer of this test for ${name} does not fit the contract`)
    return Response.json(line.shape === 'bare' ? reply : { success: true, data: reply })
  }

  vi.stubGlobal('fetch', (url: string, init: RequestInit = {}) => Promise.resolve().then(() => answer(url, init)))
  vi.stubGlobal('WebSocket', SilentSocket)
  return { unanswered, sent }
}

/** Neither opens nor fails: the pages show what was fetched. */
class SilentSocket {
  onopen = null
  onmessage = null
  onclose = null
  onerror = null
  close(): void {}
}
