import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { afterEach, describe, expect, it } from 'vitest'
import { EngineError, EngineUnreachable } from './errors.ts'
import { createTransport } from './transport.ts'

const servers: http.Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

/** An HTTP server that behaves like an engine, or misbehaves. */
async function engineThat(answer: http.RequestListener, apiVersion = '1.41', beforeChange = async () => undefined as void) {
  const asked: string[] = []
  const server = http.createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    if (request.url === '/_ping') return void response.writeHead(200, { 'api-version': apiVersion }).end('OK')
    answer(request, response)
  })
  server.listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  // A listening TCP server has an AddressInfo, never a path.
  const { port } = server.address() as AddressInfo
  return { asked, transport: createTransport({ address: { host: '127.0.0.1', port }, connectTimeoutMs: 2_000, beforeChange }) }
}

const get = { method: 'GET', path: '/x' } as const
const ok: http.RequestListener = (_request, response) => void response.end('{"a":1}')

describe('the transport', () => {
  it('makes no call that changes something if that is refused, and reads all the same', async () => {
    const { asked, transport } = await engineThat(ok, '1.41', async () => {
      throw new Error('not ours any more')
    })
    await expect(transport.json({ method: 'POST', path: '/x' })).rejects.toThrow('not ours any more')
    await expect(transport.upgrade({ method: 'POST', path: '/x' }, 'tcp')).rejects.toThrow('not ours any more')
    expect(await transport.json(get)).toEqual({ a: 1 })
    expect(asked).toEqual(['GET /_ping', 'GET /v1.41/x'])
  })

  it.each([
    ['1.41', '/v1.41/x'],
    ['1.47', '/v1.47/x'],
    ['1.60', '/v1.47/x'],
    ['nonsense', '/v1.41/x'],
  ])('uses a version that both support: the engine offers %s', async (offered, path) => {
    const { asked, transport } = await engineThat(ok, offered)
    expect(await transport.json(get)).toEqual({ a: 1 })
    await transport.json(get)
    expect(asked).toEqual(['GET /_ping', `GET ${path}`, `GET ${path}`])
  })

  it('encodes parameters and leaves out those that are not given', async () => {
    const { asked, transport } = await engineThat(ok)
    await transport.json({ ...get, query: { a: 'b&c=d', n: 0, no: undefined, yes: true } })
    expect(asked[1]).toBe('GET /v1.41/x?a=b%26c%3Dd&n=0&yes=true')
  })

  it('retries a failed read once, and never retries a change', async () => {
    let stumbles = 1
    const { asked, transport } = await engineThat(
      (_request, response) => void response.writeHead(stumbles-- > 0 ? 500 : 200).end('{"a":1}'),
    )
    expect(await transport.json(get)).toEqual({ a: 1 })
    stumbles = 1
    await expect(transport.json({ ...get, method: 'POST' })).rejects.toThrow(EngineError)
    expect(asked.slice(1)).toEqual(['GET /v1.41/x', 'GET /v1.41/x', 'POST /v1.41/x'])
  })

  it('limits the size of a response, successful or not', async () => {
    const sent = { bytes: 0 }
    const endless =
      (status: number): http.RequestListener =>
      async (_request, response) => {
        response.writeHead(status)
        const piece = Buffer.alloc(1024 * 1024, ' ')
        while (!response.destroyed && sent.bytes < 512 * piece.length) {
          sent.bytes += piece.length
          if (!response.write(piece)) await Promise.race([once(response, 'drain'), once(response, 'close')])
        }
        response.end()
      }
    const long = await engineThat(endless(200))
    await expect(long.transport.json(get)).rejects.toMatchObject({ message: 'The response of the container engine is longer than 64 MiB.' })
    expect(sent.bytes).toBeLessThan(128 * 1024 * 1024)
    sent.bytes = 0
    const wrong = await engineThat(endless(404))
    await expect(wrong.transport.json(get)).rejects.toMatchObject({ status: 404 })
    expect(sent.bytes).toBeLessThan(64 * 1024 * 1024)
  })

  it('passes on message and status of the engine', async () => {
    const plain = await engineThat((_request, response) => void response.writeHead(500).end('not JSON'))
    await expect(plain.transport.json(get)).rejects.toMatchObject({ name: 'EngineError', status: 500, message: 'not JSON' })
    const json = await engineThat((_request, response) => void response.writeHead(409).end('{"message":"in use"}'))
    await expect(json.transport.json(get)).rejects.toEqual(new EngineError(409, 'in use'))
  })

  it('reports the engine as unreachable if there is no socket, no listener, or the response is cut off', async () => {
    await expect(createTransport({ address: { socketPath: '/nonexistent/engine.sock' } }).ping()).rejects.toThrow(EngineUnreachable)
    await expect(createTransport({ address: { host: '127.0.0.1', port: 1 } }).json(get)).rejects.toThrow(EngineUnreachable)
    const cut = await engineThat((request, response) => {
      response.writeHead(200, { 'content-length': 100 })
      response.write('{"a":')
      setImmediate(() => request.socket.destroy())
    })
    await expect(cut.transport.json(get)).rejects.toThrow(EngineUnreachable)
    const half = await engineThat((_request, response) => void response.end('{"a":'))
    await expect(half.transport.json(get)).rejects.toThrow('cut short')
  })

  it('waits for a limited time for a response and for its end', async () => {
    const silent = await engineThat(() => undefined)
    await expect(silent.transport.json({ ...get, timeoutMs: 100 })).rejects.toThrow('did not answer in time')
    const endless = await engineThat((_request, response) => void response.writeHead(200).write('{'))
    await expect(endless.transport.json({ ...get, timeoutMs: 100 })).rejects.toThrow('did not end in time')
  })

  it('stops on an abort before, while waiting and while reading', async () => {
    const { transport } = await engineThat((_request, response) => void response.writeHead(200).write('x'))
    await expect(transport.json({ ...get, signal: AbortSignal.abort(new Error('before')) })).rejects.toThrow('before')
    const silent = await engineThat(() => undefined)
    await expect(silent.transport.json({ ...get, signal: AbortSignal.timeout(50) })).rejects.toThrow('timeout')
    const stop = new AbortController()
    const answer = await transport.stream({ ...get, signal: stop.signal })
    const reading = (async () => {
      for await (const _chunk of answer.chunks) stop.abort(new Error('reading'))
    })()
    await expect(reading).rejects.toThrow('reading')
  })

  it('ends an upload whose source fails with that error', async () => {
    const { transport } = await engineThat((request) => void request.resume())
    const upload = Readable.from(
      (async function* () {
        yield Buffer.from('x')
        throw new Error('the disk is gone')
      })(),
    )
    await expect(transport.json({ method: 'POST', path: '/build', upload })).rejects.toThrow('the disk is gone')
    expect(upload.destroyed).toBe(true)
  })
})
