import { kindOf } from '../../../domain/app-kinds.ts'
import type { Artifact } from '../../../domain/artifact.ts'
import type { Target } from '../../../domain/routes.ts'
import type { AppRow } from '../../../domain/rows.ts'
import type { Context } from '../run/stage.ts'

/** A release that has been started. */
export type Release = {
  /** Where the edge sends its visitors; undefined if it cannot have any. */
  readonly target: Target | undefined
  /** Resolves when it is healthy; otherwise throws a DeploymentFailure with the reason. */
  waitHealthy(): Promise<void>
  /** Throws when it has died. */
  checkAlive(): Promise<void>
}

/** Changes the number of containers of the live release. */
export type LiveReplicas = {
  /**
   * Creates containers that are missing, and starts those that have ended. `waitHealthy` waits for the created ones. `problem` says why the
   * settings of the release cannot be used; it is thrown if a container is missing.
   */
  complete(context: Context, artifact: Artifact, problem?: Error): Promise<Pick<Release, 'waitHealthy'>>
  /** Whether a process has more containers than wanted, and the wanted ones answer. */
  hasSurplus(context: Context): Promise<boolean>
  removeSurplus(context: Context): Promise<void>
}

/** How the releases of an app are run. */
export type Launcher = {
  /** Called before anything is stopped. Throws if the release cannot run with the current settings of the app. */
  refuse?(context: Context): void
  /** Stops the old release if only one can run at a time. */
  retireOld(context: Context): Promise<void>
  start(context: Context, artifact: Artifact): Promise<Release>
  /** Only if a release can have several containers that do the same. Otherwise `start` itself checks which containers exist. */
  readonly replicas?: LiveReplicas
  /** Of a launcher without `replicas`: containers that are removed once others serve. */
  readonly surplus?: Pick<LiveReplicas, 'hasSurplus' | 'removeSurplus'>
  /** After success: removes the previous release. */
  removeOld(context: Context): Promise<void>
  /** After a failure or cancel: removes what this deployment created and restores the old release. */
  undo(context: Context): Promise<void>
}

/** As containers of one image, or as the services of a compose app. */
export type Launchers = { readonly container: Launcher; readonly compose: Launcher }

export function launcherOf(launchers: Launchers, app: Pick<AppRow, 'app_type'>): Launcher {
  return kindOf(app).hasServices ? launchers.compose : launchers.container
}
