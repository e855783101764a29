import type { Artifact } from '../../../domain/artifact.ts'
import type { Context } from '../run/stage.ts'

export type Target = { ip: string; port: number }

/** A release that has been started. `target` is where the edge finds it, when it is reached from outside: that is the first container. */
export type Release = { containerIds: readonly string[]; target: Target | undefined }

/** The two ways to run an app: one container, or a compose project. */
export type Launcher = {
  /** Everything up to what can be started. */
  prepare(context: Context): Promise<Artifact>
  /** Marks the old release as retiring; where there can be only one, it stops here. */
  retireOld(context: Context): Promise<void>
  start(context: Context, artifact: Artifact): Promise<Release>
  /** Resolves when the release is healthy, throws a DeploymentFailure with the reason otherwise. */
  waitHealthy(context: Context, release: Release): Promise<void>
  /** Throws when the release has died. */
  checkAlive(context: Context, release: Release): Promise<void>
  /** After success: what served before goes. */
  removeOld(context: Context): Promise<void>
  /** After failure or cancel: what this deployment made goes, and the old release is as it was. */
  undo(context: Context): Promise<void>
}
