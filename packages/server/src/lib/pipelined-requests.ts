import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

const MOST_WAITING = 8

type Exchange = { request: IncomingMessage; response: ServerResponse }

/**
 * Handles the requests of a connection one after the other. Node emits all requests contained in one read, a thousand or more, without
 * waiting for responses to be read. Browsers and proxies send the next request after the response, so a connection with many pending
 * requests is closed.
 */
export function handleInTurn(server: Server, handle: RequestListener): void {
  const waitingOn = new WeakMap<Duplex, Exchange[]>() // has an entry while a request is being handled

  function begin({ request, response }: Exchange, waiting: Exchange[]): void {
    const { socket } = request
    response.once('close', () => {
      const next = waiting.shift()
      if (!next) waitingOn.delete(socket)
      else if (!socket.destroyed) begin(next, waiting)
    })
    handle(request, response)
  }

  function take(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request
    if (socket.destroyed) return // it was closed while the rest of the same read is still pending
    const waiting = waitingOn.get(socket)
    if (waiting === undefined) {
      const none: Exchange[] = []
      waitingOn.set(socket, none)
      begin({ request, response }, none)
    } else if (waiting.length < MOST_WAITING) waiting.push({ request, response })
    else socket.destroy()
  }

  server.on('request', take)
  server.on('checkExpectation', take) // otherwise Node would answer these itself, uncounted
  server.prependListener('upgrade', (_request: IncomingMessage, socket: Duplex) => {
    if (waitingOn.has(socket)) socket.destroy() // two responses would be written at once
  })
}
