import { isIP } from 'node:net'
import type { DnsRecord } from '@berth/contract'
import type { Caller } from '../../domain/caller.ts'
import { isStaff } from '../../domain/caller.ts'
import { kindOfAddress } from '../../lib/address-kinds.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Db, Reader, Tx } from '../../store/database.ts'
import { readFact, writeFact } from '../../store/facts.ts'

type Deps = {
  db: Db
  log: Logger
  ownRecords: () => Promise<DnsRecord[]>
  /** In the transaction that writes the new address. */
  onChanged: (tx: Tx) => Promise<void>
  /** After it. */
  afterChange: () => void
}

const FACT = 'server.address'

/** The address people use to reach this server, or undefined while only this machine has. */
export async function readServerAddress(db: Reader): Promise<string | undefined> {
  return await readFact(db, FACT)
}

/**
 * Learns the server's address from the URL under which admins open the dashboard: behind NAT the machine itself does not know it. Other
 * users are not trusted, because a client can send any Host header.
 */
export function createServerAddress(deps: Deps) {
  const { db } = deps
  let lastHost: string | undefined

  /** Called for each request, so the host of the last request costs only one comparison. */
  function seen(caller: Pick<Caller, 'role'>, hostHeader: string | undefined): void {
    if (hostHeader === undefined || hostHeader === lastHost || !isStaff(caller)) return
    lastHost = hostHeader
    void learn(hostNameOf(hostHeader)).catch((err: unknown) => {
      lastHost = undefined // tried again with the next request
      deps.log.warn({ err }, 'the address of this server was not saved')
    })
  }

  async function learn(host: string): Promise<void> {
    if (isLoopback(host)) return
    const own = (await deps.ownRecords()).map(({ value }) => value)
    const found = isIP(host) === 0 ? own[0] : host
    if (found === undefined || !isBetter(found, await readServerAddress(db), own)) return
    await db.transaction(async (tx) => {
      await writeFact(tx, FACT, found)
      await deps.onChanged(tx)
    })
    deps.afterChange()
  }

  return { seen }
}

/** Prefers a public address to a private one, and any to one that this machine no longer has. */
export function isBetter(found: string, known: string | undefined, own: readonly string[]): boolean {
  if (found === known) return false
  if (known === undefined) return true
  const isPublic = (address: string) => kindOfAddress(address) === 'public'
  if (isPublic(found) !== isPublic(known)) return isPublic(found)
  return !own.includes(known)
}

function hostNameOf(hostHeader: string): string {
  return hostHeader
    .toLowerCase()
    .replace(/:\d*$/, '')
    .replaceAll(/^\[|\]$|\.$/g, '')
}

function isLoopback(host: string): boolean {
  if (isIP(host) !== 0) return ['loopback', 'forbidden'].includes(kindOfAddress(host))
  return host === 'localhost' || host.endsWith('.localhost')
}
