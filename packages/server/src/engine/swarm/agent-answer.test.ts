import { once } from 'node:events'
import http from 'node:http'
import { expect, it } from 'vitest'
import { TooManyParts } from '../../lib/foreign-json.ts'
import { readAnswer, refusalOf, responseTo } from './agent-answer.ts'

const MOST_BYTES = 400_000

/** Asks an agent that answers with this text. */
async function ask(status: number, body: string, end: (response: http.ServerResponse) => void = (response) => response.end()) {
  const server = http.createServer((_request, response) => {
    response.writeHead(status).write(body, () => end(response))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  try {
    return await readAnswer(await responseTo(http.get({ host: '127.0.0.1', port, agent: false })), MOST_BYTES)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

it('reads the status and the JSON of an answer', async () => {
  expect(await ask(200, '{"isUsed":false}')).toEqual({ status: 200, value: { isUsed: false } })
  expect(await ask(404, '{"message":"There is no such volume here."}')).toMatchObject({ status: 404 })
})

it('fails when an answer is too long, would take too long to parse, is not JSON, or breaks off', async () => {
  await expect(ask(200, JSON.stringify('x'.repeat(MOST_BYTES)))).rejects.toThrow('its answer is too long')
  await expect(ask(200, 'x'.repeat(2 * MOST_BYTES), () => undefined)).rejects.toThrow('its answer is too long')
  await expect(ask(200, `[${'{},'.repeat(100_000)}{}]`)).rejects.toThrow(TooManyParts)
  await expect(ask(200, '<html>')).rejects.toThrow(SyntaxError)
  await expect(ask(200, '{"isUsed":', (response) => response.destroy())).rejects.toThrow('aborted')
})

it('fails when nobody answers', async () => {
  const request = http.get({ socketPath: '/nowhere/agent.sock', agent: false })
  await expect(responseTo(request)).rejects.toThrow('ENOENT')
})

it('tells people why an agent refused, in one short line without control sequences', () => {
  const said = (message: unknown) => refusalOf({ status: 409, value: { message } })
  expect(said('A container still uses the volume.')).toBe('A container still uses the volume.')
  expect(said('no\u001b[2J space\u0007')).toBe('no space')
  expect(said('x'.repeat(5000))).toHaveLength(1000)
  for (const nothing of ['', undefined, 7]) expect(said(nothing)).toBe('Its agent answered with status 409.')
  expect(refusalOf({ status: 500, value: null })).toBe('Its agent answered with status 500.')
})
