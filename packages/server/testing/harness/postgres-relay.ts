import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'

const SOCKET = '.s.PGSQL.5432'

/** A relay between one process and a PostgreSQL server. A test can cut it like a cable: nothing passes, and no connection is closed. */
export async function startPostgresRelay(url: string) {
  const target = new URL(url.replace(/^postgres:\/\/\//, 'postgres://localhost/'))
  const server = path.join(target.searchParams.get('host') ?? '', SOCKET)
  const directory = await mkdtemp(path.join(tmpdir(), 'berth-relay-'))
  const pairs = new Set<readonly [Socket, Socket]>()
  let isCut = false

  const relay = createServer((client) => {
    const upstream = connect(server)
    const pair = [client, upstream] as const
    pairs.add(pair)
    for (const [from, to] of [pair, [upstream, client] as const]) {
      from.on('data', (bytes) => void (isCut || to.write(bytes)))
      from.on('error', () => undefined)
      from.on('close', () => {
        if (isCut) return // the other end does not hear of it before the cut is over
        pairs.delete(pair)
        to.destroy()
      })
    }
  })
  relay.listen(path.join(directory, SOCKET))
  await once(relay, 'listening')
  target.searchParams.set('host', directory)

  function endAll(): void {
    for (const pair of pairs) for (const socket of pair) socket.destroy()
  }

  return {
    url: target.href.replace('postgres://localhost/', 'postgres:///'),
    cut: () => void (isCut = true),
    /** Ends the connections that were cut; new ones work again. */
    heal(): void {
      endAll()
      isCut = false
    },
    async [Symbol.asyncDispose](): Promise<void> {
      endAll()
      relay.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

export type PostgresRelay = Awaited<ReturnType<typeof startPostgresRelay>>
