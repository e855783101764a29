import { setTimeout as sleep } from 'node:timers/promises'
import { kindOf } from '../../../domain/app-kinds.ts'
import type { Artifact } from '../../../domain/artifact.ts'
import type { Launcher, Release, Target } from '../release/release.ts'
import type { Context } from './stage.ts'

/** How the edge is told. It answers when visitors reach what was asked for, or when it cannot be reached itself. */
export type Routes = {
  /** Whether an earlier release answers the visitors of the app at this moment. */
  isServed(appId: number): Promise<boolean>
  /** Sends the visitors of the app to this release. Throws where an edge serves and does not take that: they still go to the earlier one. */
  switchTo(appId: number, target: Target): Promise<void>
  /** Back to what the database says is live. */
  restore(appId: number): Promise<void>
  /** Waits until what served before has no request in flight, or until the time for that is over. */
  drain(appId: number, signal: AbortSignal): Promise<void>
}

const SHARE_BEFORE_VISITORS = 0.8
const LOOK_MS = 250

export type Pipeline = {
  launcher: Launcher
  routes: Routes
  stabilityMs: number
  /** Success, the active mark and the app's status, in one transaction. */
  succeed: (context: Context) => Promise<void>
  /** From here on the release is being put in place: the move to `deploying`. */
  beginDeploying: (context: Context, artifact: Artifact) => Promise<void>
}

/** A whole deployment, read from top to bottom. `kept` is that of a rollback, or of a run that a crash cut short. */
export async function deploy(context: Context, pipeline: Pipeline, kept: Artifact | undefined): Promise<void> {
  const { launcher, routes } = pipeline
  const artifact = kept ?? (await launcher.prepare(context)) // cloning_repo, building_image
  await pipeline.beginDeploying(context, artifact)

  await context.enter('stopping_old')
  await launcher.retireOld(context)

  await context.enter('starting_new')
  const release = await launcher.start(context, artifact)
  context.say('Started; waiting until it is healthy')
  await launcher.waitHealthy(context, release)
  context.progress(0.5)
  await proveThenSwitch(context, pipeline, release)

  await context.step('db.success', async () => await pipeline.succeed(context))
  // The new release is live. Whatever goes wrong from here on is repaired by the reconciler, and never takes it down again.
  await routes.drain(context.app.id, context.signal)
  await launcher.removeOld(context)
}

/**
 * While an earlier release serves, the new one spends most of the stability window beside it, where its death costs nobody
 * anything; the rest shows that it survives visitors. Where nothing serves there is nothing to lose, and it begins at once.
 */
async function proveThenSwitch(context: Context, pipeline: Pipeline, release: Release): Promise<void> {
  const { launcher, routes, stabilityMs } = pipeline
  const target = isRouted(context) ? release.target : undefined
  const aloneMs = target && (await routes.isServed(context.app.id)) ? stabilityMs * SHARE_BEFORE_VISITORS : 0
  if (aloneMs > 0) {
    context.say('Healthy; it must stay so for a while before visitors are sent to it')
    await stayUp(context, launcher, { release, forMs: aloneMs })
    await launcher.waitHealthy(context, release)
  }
  if (target) await switchRoute(context, routes, target)
  await stayUp(context, launcher, { release, forMs: stabilityMs - aloneMs })
}

/** Databases and services have ports too, and no visitors. */
function isRouted({ config }: Context): boolean {
  return kindOf(config).isRouted
}

async function switchRoute({ app, effect, say }: Context, routes: Routes, target: Target): Promise<void> {
  await effect('edge.switch', () => routes.switchTo(app.id, target))
  say('Healthy; visitors are sent to the new release')
}

/** A release that dies within the window never counted. */
async function stayUp(context: Context, launcher: Launcher, { release, forMs }: { release: Release; forMs: number }): Promise<void> {
  const until = performance.now() + forMs
  while (performance.now() < until) {
    await sleep(Math.min(LOOK_MS, forMs), undefined, { signal: context.signal })
    await launcher.checkAlive(context, release)
  }
}
