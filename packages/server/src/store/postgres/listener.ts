import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { connect } from './connection.ts'

const CHANNEL = 'berth'
const CONNECT_AGAIN_MS = 1000

/** Says at the end of a transaction, in the same round trip, that another node has changed something. */
export function withNotice(commit: string, sender: string): string {
  return `select pg_notify('${CHANNEL}', ${pg.escapeLiteral(sender)}); ${commit}`
}

/**
 * Listens for the changes of other nodes. Messages are lost while the connection is broken, so each new connection counts as a change. A
 * connection can also break unnoticed, so there is a poll too (see nodes/follow-others.ts).
 */
export function createListener(url: string, { self, onChange }: { self: string; onChange: () => void }) {
  const stopping = new AbortController()
  const done = listen()

  async function listen(): Promise<void> {
    while (!stopping.signal.aborted) {
      await hearOneConnection().catch(() => undefined) // reads and writes say that the server is away
      await sleep(CONNECT_AGAIN_MS, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  }

  async function hearOneConnection(): Promise<void> {
    const client = await connect(url)
    const ended = new Promise<void>((resolve) => client.on('error', () => resolve()).on('end', () => resolve()))
    const end = () => void client.end().catch(() => undefined)
    stopping.signal.addEventListener('abort', end, { once: true })
    try {
      client.on('notification', ({ payload }) => (payload === self ? undefined : onChange()))
      await client.query(`listen ${CHANNEL}`)
      if (stopping.signal.aborted) return
      onChange()
      await ended
    } finally {
      stopping.signal.removeEventListener('abort', end)
      end()
    }
  }

  return {
    async close(): Promise<void> {
      stopping.abort()
      await done
    },
  }
}
