import { setTimeout as sleep } from 'node:timers/promises'
import type { Engine } from '../../../engine/engine.ts'
import { freeBytes } from '../../../store/disk-space.ts'
import { DiskFull } from '../../../store/storage-failure.ts'
import type { Tuning } from '../../../tuning.ts'
import { DeploymentFailure } from './stage.ts'

type Wait = { signal: AbortSignal; waitMs: number; say: (line: string) => void }

/** Nothing can be built or started without an engine; one that is just starting is worth waiting for. */
export async function waitForEngine(engine: Pick<Engine, 'ping'>, { signal, waitMs, say }: Wait): Promise<void> {
  const giveUpAt = performance.now() + waitMs
  for (let tries = 1; ; tries += 1) {
    signal.throwIfAborted()
    try {
      await engine.ping(signal)
      return
    } catch (cause) {
      if (performance.now() > giveUpAt) throw cause
      if (tries === 1) say(`The container engine does not answer; waiting up to ${Math.round(waitMs / 1000)} seconds for it`)
      await sleep(500, undefined, { signal })
    }
  }
}

/** Below the floor a build would take the disk from everything else on the machine. A full one is waited for, as by those in the queue. */
export async function checkRoom(directory: string, tuning: Pick<Tuning, 'diskFloorBytes' | 'fullDiskBytes'>): Promise<void> {
  const floorBytes = tuning.diskFloorBytes
  const free = await freeBytes(directory)
  if (free < tuning.fullDiskBytes) throw new DiskFull()
  if (free < floorBytes) {
    throw new DeploymentFailure(
      `There is too little space on the disk to build: ${Math.round(free / 1e6)} MB are free, and ${Math.round(floorBytes / 1e6)} MB are needed. Free some, then deploy again.`,
    )
  }
}
