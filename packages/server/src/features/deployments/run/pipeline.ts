import { setTimeout as sleep } from 'node:timers/promises'
import { kindOf } from '../../../domain/app-kinds.ts'
import { type Artifact, artifactOf } from '../../../domain/artifact.ts'
import type { AppRow } from '../../../domain/rows.ts'
import { LAST_LINE } from '../log/log-lines.ts'
import type { Launcher, Release, Target } from '../release/release.ts'
import type { LiveContext } from './context.ts'
import type { DeploymentRecord } from './deployment-writes.ts'
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

/** The stages that end in something that can be started. */
type Stages = {
  cloneRepository(context: Context): Promise<void>
  buildImage(context: Context): Promise<Artifact>
  makePlan(context: Context): Promise<Artifact>
  pullTemplate(context: Context): Promise<Artifact>
}

export type Pipeline = {
  stages: Stages
  /** Once a deployment, between the build and the first change to what serves. */
  runReleaseCommand: (context: LiveContext, artifact: Artifact) => Promise<void>
  launcherOf: (app: AppRow) => Launcher
  routes: Routes
  record: Pick<DeploymentRecord, 'deploying' | 'success'>
  stabilityMs: number
}

const SHARE_BEFORE_VISITORS = 0.8
const LOOK_MS = 250

/** A whole deployment, read from top to bottom. */
export async function deploy(context: LiveContext, pipeline: Pipeline): Promise<void> {
  const { app } = context
  const { stages, routes, record } = pipeline
  const launcher = pipeline.launcherOf(app)

  // a rollback has its artifact from the start, and so has a run that goes on after a crash
  const artifact = artifactOf(context.deployment) ?? (await makeArtifact(context, stages))
  if (context.deployment.status === 'building') await context.write('db.deploying', (row) => record.deploying(row, artifact))

  await pipeline.runReleaseCommand(context, artifact)

  await context.enter('stopping_old')
  await launcher.retireOld(context)

  await context.enter('starting_new')
  const release = await launcher.start(context, artifact)
  context.begin('health', 0.2)
  context.say('Started; waiting until it is healthy')
  await release.waitHealthy()
  context.progress(0.5)
  await proveThenSwitch(context, pipeline, release)

  await context.write('db.success', async (row) => {
    context.say(LAST_LINE.success)
    await context.flush() // before the row says so: after a crash right behind it nobody would write it
    return await record.success(app, row, { durationSeconds: context.seconds(), steps: context.endedSteps() })
  })
  // The new release is live. Whatever goes wrong from here on is repaired by the reconciler, and never takes it down again.
  await routes.drain(app.id, context.signal)
  await launcher.removeOld(context)
}

/** cloning_repo and building_image. */
async function makeArtifact(context: Context, stages: Stages): Promise<Artifact> {
  const { madeFrom } = kindOf(context.app)
  if (madeFrom === 'template') return await stages.pullTemplate(context)
  await stages.cloneRepository(context)
  return madeFrom === 'compose' ? await stages.makePlan(context) : await stages.buildImage(context)
}

/**
 * While an earlier release serves, the new one spends most of the stability window beside it, where its death costs nobody
 * anything; the rest shows that it survives visitors. Where nothing serves there is nothing to lose, and it begins at once.
 */
async function proveThenSwitch(context: Context, { routes, stabilityMs }: Pipeline, release: Release): Promise<void> {
  const { target } = release
  const aloneMs = target && (await routes.isServed(context.app.id)) ? stabilityMs * SHARE_BEFORE_VISITORS : 0
  if (aloneMs > 0) {
    context.say('Healthy; it must stay so for a while before visitors are sent to it')
    await stayUp(context, release, aloneMs)
    await release.waitHealthy()
  }
  if (target) {
    context.begin('switch', 0.8)
    await context.effect('edge.switch', () => routes.switchTo(context.app.id, target))
    context.say('Healthy; visitors are sent to it now')
  }
  await stayUp(context, release, stabilityMs - aloneMs)
}

/** A release that dies within the window never counted. */
async function stayUp({ signal }: Context, release: Release, forMs: number): Promise<void> {
  const until = performance.now() + forMs
  while (performance.now() < until) {
    await sleep(Math.min(LOOK_MS, forMs), undefined, { signal })
    await release.checkAlive()
  }
}
