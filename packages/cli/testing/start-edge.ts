import { once } from 'node:events'
import { request as ask, createServer } from 'node:http'

/** A TLS proxy between the CLI and a server, which sets the same header as the real edge. */
export async function startEdge(target: string) {
  const edge = createServer((request, response) => {
    const { method, headers } = request
    const passed = ask(new URL(request.url ?? '/', target), { method, headers: { ...headers, 'x-forwarded-proto': 'https' } }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    request.pipe(passed)
  })
  edge.listen(0, '127.0.0.1')
  await once(edge, 'listening')
  const address = edge.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    async [Symbol.asyncDispose](): Promise<void> {
      edge.closeAllConnections()
      edge.close()
      await once(edge, 'close')
    },
  }
}
