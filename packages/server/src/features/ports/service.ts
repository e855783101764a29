import type { PublishedPort } from '@berth/contract'
import type { Db } from '../../store/database.ts'
import { deletePort, type HostPort, listPorts, type OpenPort, unwantedPorts, wantedPorts } from './store.ts'

type Deps = {
  db: Db
  /** Ports of the machine that are the platform's own. They may have become so after somebody opened one. */
  reservedPorts: () => Promise<readonly number[]>
}

/**
 * Ports of the machine that lead to services of compose apps. Each has one owner, from the moment somebody opens it until it is closed and
 * no release has it any more; also while the app is stopped, so that nobody can take it meanwhile.
 */
export function createPorts({ db, reservedPorts }: Deps) {
  /** A release runs that has these, so those that were closed and are not among them are free. */
  async function keepOnly(appId: number, portsOfRelease: () => Promise<readonly HostPort[]>): Promise<void> {
    const unwanted = await unwantedPorts(db, appId)
    if (unwanted.length === 0) return
    const kept = await portsOfRelease()
    const isKept = (one: HostPort) => kept.some(({ port, protocol }) => port === one.port && protocol === one.protocol)
    if (unwanted.every(isKept)) return
    await db.transaction(async (tx) => {
      for (const port of await unwantedPorts(tx, appId)) if (!isKept(port)) await deletePort(tx, port)
    })
  }

  return {
    keepOnly,
    /** What a new release of the app opens. */
    wantedOf: async (appId: number): Promise<OpenPort[]> => {
      const reserved = await reservedPorts()
      return (await wantedPorts(db, appId)).filter(({ port }) => !reserved.includes(port))
    },
    list: async (): Promise<PublishedPort[]> => await listPorts(db),
  }
}

export type Ports = ReturnType<typeof createPorts>
