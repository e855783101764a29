import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { createTurns } from '../../../lib/turns.ts'
import { createLogCopies, type NodeLogDeps } from './log-copies.ts'
import { createStoredWriting } from './stored-writing.ts'

/** Another node writes this log, and it is not ours to change. */
class LogOfAnotherNode extends Error {
  override readonly name = 'LogOfAnotherNode'
}

/** The files of logs on one of several nodes: what it writes is stored, and what others wrote is copied before it is read. */
export function createNodeLogs({ shared, log, pathOf, liveOf, isOpen }: NodeLogDeps) {
  /** A copy has its turn until this node writes the log itself, or nobody follows it. */
  const inTurn = createTurns<number>()
  const copies = createLogCopies({ shared, log, pathOf, liveOf, isOpen, inTurn })
  const writing = createStoredWriting({ shared, log, pathOf, writtenBytes: (id) => liveOf(id).writtenBytes() })

  /** Before a writer begins: the file has what other nodes wrote. Call the result when it has ended. */
  async function beginWriting(deploymentId: number, options: { holdsLease: boolean }): Promise<() => Promise<void>> {
    const takeOver = async () => {
      const before = await shared.take(deploymentId, options)
      if (before === 'of another node') throw new LogOfAnotherNode(`another node writes the log of deployment ${deploymentId}`)
      const { wasCut } = await shared.catchUp(deploymentId, pathOf(deploymentId), before === 'ours')
      if (wasCut) copies.cutOff(deploymentId)
    }
    const end = await inTurn(deploymentId, async () => await writing.begin(deploymentId, takeOver))
    return async () => await inTurn(deploymentId, end)
  }

  /** For a reader that does not wait for more. */
  async function catchUp(deploymentId: number): Promise<void> {
    if (isOpen(deploymentId) || copies.has(deploymentId)) return
    await inTurn(deploymentId, async () => {
      await mkdir(dirname(pathOf(deploymentId)), { recursive: true, mode: 0o700 })
      await shared.catchUp(deploymentId, pathOf(deploymentId))
    })
  }

  /** At the start: what the last run of this node wrote and could not store any more. */
  async function storeRest(): Promise<void> {
    for (const deploymentId of await shared.leftOpen()) if (!isOpen(deploymentId)) await shared.close(deploymentId, pathOf(deploymentId))
  }

  return { beginWriting, follow: copies.follow, catchUp, storeRest }
}
