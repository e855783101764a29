import type { PublishedPort } from '@berth/contract'
import type { Db, Reader } from '../../store/database.ts'
import { deletePort, findPortOwner, type HostPort, insertPort, listPorts, portsOf } from './store.ts'

/**
 * Ports of the machine that compose apps publish. Each has one owner, from the first release that publishes it until the app is deleted
 * or a release no longer publishes it; also while the app is stopped, so that nobody can take it meanwhile.
 */
export function createPorts(deps: { db: Db; now: () => Date }) {
  const { db, now } = deps

  /** The first of the ports that belongs to another app. */
  async function takenIn(reader: Reader, appId: number, wanted: readonly HostPort[]): Promise<HostPort | undefined> {
    for (const port of wanted) {
      const owner = await findPortOwner(reader, port)
      if (owner !== undefined && owner !== appId) return port
    }
    return undefined
  }

  /** Claims all of them; or, if one belongs to another app, none, and returns that one. */
  async function claim(appId: number, wanted: readonly HostPort[]): Promise<HostPort | undefined> {
    return await db.transaction(async (tx) => {
      const taken = await takenIn(tx, appId, wanted)
      if (taken === undefined) for (const port of wanted) await insertPort(tx, port, { appId, at: now() })
      return taken
    })
  }

  /** The live release publishes these, so the app's other ports are released. */
  async function keepOnly(appId: number, kept: readonly HostPort[]): Promise<void> {
    const isKept = (one: HostPort) => kept.some(({ port, protocol }) => port === one.port && protocol === one.protocol)
    const surplus = (await portsOf(db, appId)).filter((one) => !isKept(one))
    if (surplus.length === 0) return
    await db.transaction(async (tx) => {
      for (const port of surplus) await deletePort(tx, port)
    })
  }

  return {
    findTaken: async (appId: number, wanted: readonly HostPort[]) => await takenIn(db, appId, wanted),
    claim,
    keepOnly,
    list: async (): Promise<PublishedPort[]> => await listPorts(db),
  }
}

export type Ports = ReturnType<typeof createPorts>
