import { open } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import type { Logger } from '../../../lib/logger.ts'
import type { Db, Tx } from '../../../store/database.ts'
import { hashOf, matchingBytes, wholeLinesEnd, wholeLinesFrom } from './log-file.ts'
import { addPart, closeLog, findLog, findPart, listParts, openLogsOf, takeLog } from './shared-log-store.ts'

type Deps = {
  db: Db
  /** The name of this node. */
  node: string
  /** Whether a node is living, so that its logs are not taken from it. */
  isLiving: (tx: Tx, node: string) => Promise<boolean>
  log: Pick<Logger, 'warn'>
}

const [pack, unpack] = [promisify(gzip), promisify(gunzip)]

/**
 * The logs of deployments in the database, for the other nodes (docs/decisions/0016). The node that runs a deployment writes its file and
 * stores what is new in it; other nodes copy that into files of their own, which they read like those that they wrote.
 */
export function createSharedLogs({ db, node, isLiving, log }: Deps) {
  /** From now on this node writes the log. Without the lease of that work it is not taken from a living node. Returns who wrote it. */
  async function take(deploymentId: number, { holdsLease }: { holdsLease: boolean }): Promise<'ours' | 'taken' | 'of another node'> {
    return await db.transaction(async (tx) => {
      const before = await findLog(tx, deploymentId)
      const isOurs = before === undefined || before.node === node
      if (!holdsLease && !isOurs && before.is_open === 1 && (await isLiving(tx, before.node))) return 'of another node'
      await takeLog(tx, deploymentId, node)
      return isOurs ? 'ours' : 'taken'
    })
  }

  /**
   * Makes a file the same as what is stored. What our own last run wrote and did not store yet stays. Returns where the file ends, and
   * whether something was cut off.
   */
  async function catchUp(deploymentId: number, path: string, isOurs?: boolean): Promise<{ bytes: number; wasCut: boolean }> {
    const head = await findLog(db, deploymentId)
    if (!head) return { bytes: 0, wasCut: false }
    const parts = await listParts(db, deploymentId)
    await using file = await open(path, 'a+', 0o600)
    const { size } = await file.stat()
    let bytes = await matchingBytes(file, parts)
    const isWhole = bytes === (parts.at(-1)?.start ?? 0) + (parts.at(-1)?.bytes ?? 0)
    if (isWhole && (isOurs ?? head.node === node)) return { bytes: await wholeLinesEnd(file), wasCut: false }
    await file.truncate(bytes)
    const wasCut = size > bytes
    for (let next = await partAt(deploymentId, bytes); next; next = await partAt(deploymentId, bytes)) {
      await file.appendFile(next)
      bytes += next.length
    }
    return { bytes, wasCut }
  }

  /** The stored lines at a place, or undefined if there are none yet. */
  async function partAt(deploymentId: number, start: number): Promise<Buffer | undefined> {
    const part = await findPart(db, deploymentId, start)
    return part && (await unpack(part.packed))
  }

  /** Stores what is new in the file up to `end`. Returns false if another node writes this log by now. */
  async function ship(deploymentId: number, { path, end }: { path: string; end?: number | undefined }): Promise<boolean> {
    const start = (await findLog(db, deploymentId))?.bytes ?? 0
    for await (const lines of wholeLinesFrom(path, start, end)) {
      const part = { deployment_id: deploymentId, start: lines.start, bytes: lines.text.length, hash: hashOf(lines.text) }
      const packed = await pack(lines.text)
      if (!(await db.transaction(async (tx) => await addPart(tx, node, { ...part, packed })))) return false
    }
    return true
  }

  /** The last of it is stored, and readers need not wait for more. Returns false if that has to be tried again, also at the next start. */
  async function close(deploymentId: number, path: string): Promise<boolean> {
    try {
      if (await ship(deploymentId, { path })) await db.transaction(async (tx) => await closeLog(tx, deploymentId, node))
      return true
    } catch (err) {
      log.warn({ deploymentId, err }, 'the end of a build log is not in the database yet')
      return false
    }
  }

  /** Whether more may come, and whether what is stored cannot follow on a copy that ends here. */
  async function look(deploymentId: number, bytes: number): Promise<{ isOpen: boolean; isStale: boolean }> {
    const head = await findLog(db, deploymentId)
    if (!head) return { isOpen: false, isStale: false }
    return { isOpen: head.is_open === 1, isStale: head.bytes > bytes || (head.bytes < bytes && head.node !== node) }
  }

  return { take, catchUp, partAt, look, ship, close, leftOpen: async () => await openLogsOf(db, node) }
}

export type SharedLogs = ReturnType<typeof createSharedLogs>
