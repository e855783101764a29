import { mkdir } from 'node:fs/promises'
import { sizeWords } from '@berth/contract'
import { deploysImage, kindOf } from '../../../domain/app-kinds.ts'
import { artifactOf } from '../../../domain/artifact.ts'
import type { ReleaseConfig } from '../../../domain/release-config.ts'
import type { Engine } from '../../../engine/engine.ts'
import { imageParts } from '../../../engine/image-reference.ts'
import { PUBLIC_REGISTRIES, PUBLIC_REGISTRY_NAMES } from '../../../engine/public-registries.ts'
import { hasVulnerableBuilder } from '../../../engine/vulnerable-builder.ts'
import { environmentProblem, environmentSize } from '../../../lib/environment-size.ts'
import { retry, steadily } from '../../../lib/retry.ts'
import type { Tuning } from '../../../lib/tuning.ts'
import { freeBytes } from '../../../store/disk-space.ts'
import { DiskFull } from '../../../store/storage-failure.ts'
import { type Context, DeploymentFailure } from './stage.ts'

type Deps = {
  engine: Pick<Engine, 'ping' | 'images' | 'facts'>
  dataDir: string
  tuning: Tuning
  oldEngineBuilds: 'everyone' | 'admins'
  isPrivileged: (userId: number | null) => Promise<boolean>
}

export type Preflight = (context: Context) => Promise<void>

/** Two attempts in parallel with other jobs, and three more during which no other often-interrupted job runs (see queue-store.ts). */
const MOST_ATTEMPTS = 5
const ENGINE_PAUSE_MS = 500

/** Checks everything that can be known before the first stage, so that the deployment fails early with a clear message. */
export function createPreflight(deps: Deps): Preflight {
  const { engine, dataDir, tuning } = deps
  return async (context) => {
    const { deployment, workspace, signal, say } = context
    const kept = artifactOf(deployment)
    if (deployment.attempts > MOST_ATTEMPTS)
      throw new DeploymentFailure(
        'This deployment was interrupted several times, by restarts of Berth or by a full disk, so Berth gave up on it. Deploy again.',
      )
    if (kept === undefined) checkEnvironment(context.config) // an earlier release is started again unchanged
    if (deployment.attempts > 1) say('This deployment was interrupted; continuing from where it stopped')
    await mkdir(workspace, { recursive: true, mode: 0o700 })
    await waitForEngine(engine, { signal, waitMs: tuning.engineWaitMs, say })
    if (kept === undefined) {
      await refuseOnOldEngine(deps, context)
      await checkRoom(dataDir, tuning)
    }
    if (kept?.kind === 'image' && !(await engine.images.exists(kept.tag, signal)))
      throw new DeploymentFailure('The image of this release no longer exists. Deploy again to build a new one.')
  }
}

/**
 * Every build on such an engine can delete empty files of the machine, and it reads manifests of any length into memory, so a server with
 * several users may restrict builds, and images of other registries than the public ones, to admins.
 */
async function refuseOnOldEngine({ engine, oldEngineBuilds, isPrivileged }: Deps, { app, config, signal }: Context): Promise<void> {
  if (oldEngineBuilds === 'everyone' || kindOf(app).madeFrom === 'template') return
  const image = deploysImage(app) ? (config.build?.image ?? app.image) : undefined
  if (image !== undefined && PUBLIC_REGISTRIES.has(imageParts(image)?.host ?? '')) return
  const { version } = await engine.facts(signal)
  if (!hasVulnerableBuilder(version) || (await isPrivileged(app.source_set_by))) return
  const only =
    image === undefined
      ? 'it only builds sources that an admin has set'
      : `apps of members only run images of public registries (${PUBLIC_REGISTRY_NAMES}); an admin can set others`
  throw new DeploymentFailure(
    `Docker ${version} on this server has known security holes, so ${only}. Ask an admin to update Docker to 25.0.2 or newer.`,
  )
}

type Wait = { signal: AbortSignal; waitMs: number; say: (line: string) => void }

/** Nothing can be built or started without an engine, so we wait for one that may be starting. */
async function waitForEngine(engine: Pick<Engine, 'ping'>, { signal, waitMs, say }: Wait): Promise<void> {
  signal.throwIfAborted()
  await retry(() => engine.ping(signal), {
    isTransient: () => true,
    delayMs: steadily(ENGINE_PAUSE_MS, waitMs),
    onWait(failures) {
      if (failures === 1) say(`The container engine is not responding; waiting up to ${Math.round(waitMs / 1000)} seconds for it`)
    },
    signal,
  })
}

/**
 * Below the floor, a build could fill the disk for everything else on the machine. On a full disk the deployment waits, like those in the
 * queue.
 */
async function checkRoom(directory: string, tuning: Pick<Tuning, 'diskFloorBytes' | 'fullDiskBytes'>): Promise<void> {
  const floorBytes = tuning.diskFloorBytes
  const free = await freeBytes(directory)
  if (free < tuning.fullDiskBytes) throw new DiskFull()
  if (free < floorBytes) {
    throw new DeploymentFailure(
      `There is too little space on the disk to build: ${sizeWords(free)} free, ${sizeWords(floorBytes)} needed. Free some, then deploy again.`,
      { facts: { kind: 'full_disk' } },
    )
  }
}

/** For variables that were stored before there was a limit. The port that Berth adds does not count. */
function checkEnvironment({ env, port }: ReleaseConfig): void {
  const given = Object.entries(env).filter(([key, value]) => key !== 'PORT' || value !== String(port))
  const problem = environmentProblem(environmentSize(given.map(([key, value]) => ({ key, value }))))
  if (problem) throw new DeploymentFailure(problem)
}
