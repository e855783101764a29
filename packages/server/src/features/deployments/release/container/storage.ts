import { kindOf } from '../../../../domain/app-kinds.ts'
import { holdsDataAlone } from '../../../../domain/app-volumes.ts'
import { placesOf } from '../../../../domain/processes.ts'
import type { ContainerSpec } from '../../../../engine/container-spec.ts'
import { appVolumeName, volumeName } from '../../../../engine/labels.ts'
import type { DatabaseTemplate } from '../../../templates/templates.ts'
import { type Context, DeploymentFailure } from '../../run/stage.ts'

type Deps = { instance: string; findTemplate: (name: string) => DatabaseTemplate | undefined }

/** The volumes that a release has: that of its template, or those of the app's settings at that time. */
export function mountsOf({ instance, findTemplate }: Deps, { app, config }: Pick<Context, 'app' | 'config'>): ContainerSpec['volumes'] {
  const template = kindOf(config).madeFrom === 'template' ? findTemplate(config.template) : undefined
  if (template) return [{ volume: volumeName(instance, app.id), path: template.dataPath }]
  return (config.volumes ?? []).map(({ name, path }) => ({ volume: appVolumeName(instance, app.id, name), path }))
}

/** Two releases at once would damage the data, or the user chose one at a time. */
export function isSingle({ app, config }: Pick<Context, 'app' | 'config'>): boolean {
  return holdsDataAlone(app, config) || config.strategy === 'recreate'
}

/** A volume that is not shareable has one writer, also after a rollback to a release that has one. */
export function refuseSeveralWriters({ app, config, deployment }: Pick<Context, 'app' | 'config' | 'deployment'>): void {
  if (!holdsDataAlone(app, config)) return
  const volume = 'This release has a volume that only one container may use at a time, and the app has'
  const other = 'or use a release whose volumes are shareable.'
  if (app.replicas > 1) throw new DeploymentFailure(`${volume} ${app.replicas} replicas. Set replicas to 1, ${other}`)
  const process = placesOf(app, deployment).find((each) => each.process !== '')?.process
  if (process === undefined) return
  throw new DeploymentFailure(`${volume} the process ${process} too. Set its replicas to 0, mark the volume as shareable, ${other}`)
}

/**
 * An engine that restarts starts every container with the policy `always`, also one that was stopped to make way for the next release.
 * `unless-stopped` is the same but for that.
 */
export function restartOf(context: Pick<Context, 'app' | 'config'>): ContainerSpec['restart'] {
  const { restart } = context.config
  return restart === 'always' && isSingle(context) ? 'unless-stopped' : restart
}
