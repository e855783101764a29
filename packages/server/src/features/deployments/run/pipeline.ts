import { setTimeout as sleep } from 'node:timers/promises'
import { deploysImage, kindOf } from '../../../domain/app-kinds.ts'
import { type Artifact, artifactOf } from '../../../domain/artifact.ts'
import type { Routes } from '../../../domain/routes.ts'
import { LAST_LINE } from '../log/log-lines.ts'
import { type Launchers, launcherOf, type Release } from '../release/release.ts'
import type { LiveContext } from './context.ts'
import type { DeploymentRecord } from './deployment-writes.ts'
import type { Context } from './stage.ts'

/** The stages that produce something that can be started. */
type Stages = {
  cloneRepository(context: Context): Promise<void>
  buildImage(context: Context): Promise<Artifact>
  makePlan(context: Context): Promise<Artifact>
  pullTemplate(context: Context): Promise<Artifact>
  pullReadyImage(context: Context): Promise<Artifact>
}

export type Pipeline = {
  stages: Stages
  /** Runs once per deployment, after the build and before anything that serves visitors is changed. */
  runReleaseCommand: (context: LiveContext, artifact: Artifact) => Promise<void>
  launchers: Launchers
  routes: Routes
  record: Pick<DeploymentRecord, 'deploying' | 'success'>
  stabilityMs: number
}

const SHARE_BEFORE_VISITORS = 0.8
const LOOK_MS = 250

/** A whole deployment, from top to bottom. */
export async function deploy(context: LiveContext, pipeline: Pipeline): Promise<void> {
  const { app } = context
  const { stages, routes, record } = pipeline
  const launcher = launcherOf(pipeline.launchers, app)

  // a rollback already has its artifact, and so has a run that continues after a crash
  const artifact = artifactOf(context.deployment) ?? (await makeArtifact(context, stages))
  if (context.deployment.status === 'building') await context.write('db.deploying', (row) => record.deploying(row, artifact))
  else await routes.beginAgain(app.id)

  await context.readAppAgain()
  launcher.refuse?.(context)
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
    await context.flush() // before the row is updated: nobody would write it after a crash in between
    return await record.success(app, row, { durationSeconds: context.seconds(), steps: context.endedSteps() })
  })
  // The new release is live. Anything that fails from here on is repaired by the reconciler and does not take the release down.
  await routes.drain(app.id, context.signal)
  await launcher.removeOld(context)
}

/** The stages cloning_repo and building_image. */
async function makeArtifact(context: Context, stages: Stages): Promise<Artifact> {
  const { app, config } = context
  const { madeFrom } = kindOf(app)
  if (madeFrom === 'template') return await stages.pullTemplate(context)
  if (deploysImage({ ...app, builder: config.build?.builder ?? app.builder })) return await stages.pullReadyImage(context)
  await stages.cloneRepository(context)
  return madeFrom === 'compose' ? await stages.makePlan(context) : await stages.buildImage(context)
}

/**
 * While an earlier release serves, the new one spends most of the stability window beside it, where a crash affects no visitor; the rest
 * shows that it survives visitors. If nothing serves, it gets visitors at once.
 */
async function proveThenSwitch(context: Context, { routes, stabilityMs }: Pipeline, release: Release): Promise<void> {
  const { target } = release
  const aloneMs = target && (await routes.isServed(context.app.id)) ? stabilityMs * SHARE_BEFORE_VISITORS : 0
  if (aloneMs > 0) {
    context.say('Healthy; checking that it stays up before it gets visitors')
    await stayUp(context, release, aloneMs)
    await release.waitHealthy()
  }
  if (target) {
    context.begin('switch', 0.8)
    await context.effect('edge.switch', () => routes.switchTo(context.app.id, target))
    context.say('Healthy; visitors now go to this release')
  }
  await stayUp(context, release, stabilityMs - aloneMs)
}

/** Throws if the release dies within the given time. */
async function stayUp({ signal }: Context, release: Release, forMs: number): Promise<void> {
  const until = performance.now() + forMs
  while (performance.now() < until) {
    await sleep(Math.min(LOOK_MS, forMs), undefined, { signal })
    await release.checkAlive()
  }
}
