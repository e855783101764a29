import type { Artifact } from '../../../domain/artifact.ts'
import type { Target } from '../../../domain/routes.ts'
import type { Context } from '../run/stage.ts'

/** A release that has been started. */
export type Release = {
  /** The target of its visitors, if it can have any. */
  readonly target: Target | undefined
  /** Resolves when it is healthy, throws a DeploymentFailure with the reason otherwise. */
  waitHealthy(): Promise<void>
  /** Throws when it has died. */
  checkAlive(): Promise<void>
}

/** Changes the number of containers of the live release. */
export type LiveReplicas = {
  /** Starts what is missing or down. The result is of what was created here. With a problem of its settings nothing can be created. */
  complete(context: Context, artifact: Artifact, problem?: Error): Promise<Pick<Release, 'waitHealthy'>>
  /** Whether there are more of a process than wanted, and those that are wanted answer. */
  hasSurplus(context: Context): Promise<boolean>
  removeSurplus(context: Context): Promise<void>
}

/** The two ways to run an app: one container, or a compose project. */
export type Launcher = {
  /** Throws if the release cannot run as the app is set now: before anything is stopped. */
  refuse?(context: Context): void
  /** Marks the old release as retiring; if only one can run at a time, it is stopped here. */
  retireOld(context: Context): Promise<void>
  start(context: Context, artifact: Artifact): Promise<Release>
  /** If a release may have several containers that do the same. Otherwise `start` checks itself what exists. */
  readonly replicas?: LiveReplicas
  /** Otherwise: containers that are there only until others serve. */
  readonly surplus?: Pick<LiveReplicas, 'hasSurplus' | 'removeSurplus'>
  /** After success: removes the previous release. */
  removeOld(context: Context): Promise<void>
  /** After a failure or cancel: removes what this deployment created and restores the old release. */
  undo(context: Context): Promise<void>
}
