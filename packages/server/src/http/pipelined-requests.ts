import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

const MOST_WAITING = 8

type Exchange = { request: IncomingMessage; response: ServerResponse }

/**
 * Requests of one connection are handled one after the other. Node hands over all the requests that one read of a connection
 * holds, a thousand and more, without waiting for an answer to be read. Browsers and proxies send the next request after the
 * answer, so a connection with many waiting is closed.
 */
export function handleInTurn(server: Server, handle: RequestListener): void {
  const waitingOn = new WeakMap<Duplex, Exchange[]>() // there is an entry as long as something is being answered

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
    if (socket.destroyed) return // it was closed with the rest of the same read still to come
    const waiting = waitingOn.get(socket)
    if (waiting === undefined) {
      const none: Exchange[] = []
      waitingOn.set(socket, none)
      begin({ request, response }, none)
    } else if (waiting.length < MOST_WAITING) waiting.push({ request, response })
    else socket.destroy()
  }

  server.on('request', take)
  server.on('checkExpectation', take) // Node would answer these itself, past any count
  server.prependListener('upgrade', (_request: IncomingMessage, socket: Duplex) => {
    if (waitingOn.has(socket)) socket.destroy() // two would write to it at once
  })
}
