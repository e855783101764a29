import { createServer, type Server } from 'node:net'
import { addressText, type EngineAddress } from '../engine/api/address.ts'
import { poll } from '../lib/retry.ts'

const everyMs = 200

/**
 * Held by the process on this machine that starts the engine at this address: of two daemons, the second would take the socket of the
 * first away. The kernel releases it with its process. Waits for it only so long, because any local process can hold it.
 */
export async function engineStartLock(engine: EngineAddress, limitMs: number): Promise<AsyncDisposable | undefined> {
  const tryToHold = () =>
    new Promise<Server | undefined>((resolve) => {
      const lock = createServer((socket) => socket.destroy()).once('error', () => resolve(undefined))
      lock.listen(`\0berth-engine-start:${addressText(engine)}`, () => resolve(lock))
    })
  return await poll(tryToHold, { until: (lock) => lock !== undefined, everyMs, limitMs })
}
