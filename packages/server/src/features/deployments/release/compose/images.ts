import { EngineError } from '../../../../engine/api/errors.ts'
import type { ComposePlan } from '../../../../engine/compose/policy.ts'
import type { Engine } from '../../../../engine/engine.ts'
import { type ImageDetails, MOST_SETTINGS_BYTES } from '../../../../engine/images.ts'
import { type Context, DeploymentFailure } from '../../run/stage.ts'
import { imagesOf } from './plan.ts'

type Follower = Pick<Context, 'ask' | 'signal' | 'output' | 'active'>

const SHORTEST_CHECK_MS = 1000

/** What an image brings along and the compose file does not say: judged once the image is here, before anything runs from it. */
export function createCheckImages({ engine }: { engine: Pick<Engine, 'images'> }) {
  return async function checkImages(context: Follower, plan: ComposePlan): Promise<void> {
    for (const wanted of imagesOf(plan)) {
      const found = await context.ask(() => find(context, wanted))
      const why = found === null ? undefined : objectionTo(found)
      if (why !== undefined) throw new DeploymentFailure(`The service "${wanted.service}" cannot be started: its image ${why}`)
    }
  }

  /** Null where it cannot be had: Compose will say why. */
  async function find({ signal, output, active }: Follower, wanted: { image: string; platform?: string | undefined }) {
    const found = await engine.images.inspect(wanted.image, signal)
    if (found !== null) return found
    const { image, platform } = wanted
    await engine.images
      .pull(image, { signal, platform, onLine: (line) => output(line, 'stdout'), onActivity: active })
      .catch((cause: unknown) => {
        if (!(cause instanceof EngineError)) throw cause
      })
    return await engine.images.inspect(image, signal)
  }
}

export function objectionTo({
  settingsBytes,
  shortestCheckMs,
}: Pick<ImageDetails, 'settingsBytes' | 'shortestCheckMs'>): string | undefined {
  if (settingsBytes > MOST_SETTINGS_BYTES)
    return `has ${Math.ceil(settingsBytes / 1024)} KB of labels, variables and commands, and 64 KB are allowed.`
  if (shortestCheckMs !== null && shortestCheckMs < SHORTEST_CHECK_MS)
    return 'checks its health more than once a second. Give its HEALTHCHECK an interval of at least 1s.'
  return undefined
}
