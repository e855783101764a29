import type { ClientRequest } from 'node:http'

const MOST_INTERIM = 20

/** A server can send interim responses (1xx) without end: no limit of time or size counts them, and each takes time. */
export function limitInterim(request: ClientRequest): void {
  let seen = 0
  request.on('information', () => {
    seen += 1
    if (seen > MOST_INTERIM) request.destroy(new Error('The server sends interim responses (1xx) without end.'))
  })
}
