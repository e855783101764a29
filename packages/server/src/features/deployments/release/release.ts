import type { Artifact } from '../../../domain/artifact.ts'
import type { Context } from '../run/stage.ts'

export type Target = { readonly ip: string; readonly port: number }

/** A release that has been started. */
export type Release = {
  /** Where its visitors are sent, if it can have any. */
  readonly target: Target | undefined
  /** Resolves when it is healthy, throws a DeploymentFailure with the reason otherwise. */
  waitHealthy(): Promise<void>
  /** Throws when it has died. */
  checkAlive(): Promise<void>
}

/** The two ways to run an app: one container, or a compose project. */
export type Launcher = {
  /** Marks the old release as retiring; where there can be only one, it stops here. */
  retireOld(context: Context): Promise<void>
  start(context: Context, artifact: Artifact): Promise<Release>
  /** After success: what served before goes. */
  removeOld(context: Context): Promise<void>
  /** After failure or cancel: what this deployment made goes, and the old release is as it was. */
  undo(context: Context): Promise<void>
}
