import { statfs } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Engine } from '../../engine/engine.ts'
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

/** Below the floor a build would take the disk from everything else on the machine. */
export async function checkRoom(directory: string, floorBytes: number): Promise<void> {
  const disk = await statfs(directory)
  const free = disk.bavail * disk.bsize
  if (free < floorBytes) {
    throw new DeploymentFailure(
      `There is too little space on the disk to build: ${Math.round(free / 1e6)} MB are free, and ${Math.round(floorBytes / 1e6)} MB are needed. Free some, then deploy again.`,
    )
  }
}
