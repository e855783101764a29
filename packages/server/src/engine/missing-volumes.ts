import { volumeLabels } from './labels.ts'
import type { Volume } from './volumes.ts'

type OfApp = { readonly instance: string; readonly projectId: number; readonly appId: number }
type Mounted = { readonly volume: string; readonly path: string }
/** `isThere`: the engine has one of this name that is not labelled as the app's. */
export type MissingVolume = Mounted & { readonly isThere: boolean }

/** The volumes of an app that are not among those found: a container that uses one would begin with a new and empty one. */
export function missingVolumes(mounts: readonly Mounted[], found: readonly Volume[], { instance, appId }: OfApp): MissingVolume[] {
  const known = new Map(found.map(({ name, owner }) => [name, owner]))
  const wanted = new Map(mounts.map((mount) => [mount.volume, mount]))
  return [...wanted.values()].flatMap(({ volume, path }) => {
    const owner = known.get(volume)
    const isNameless = !volume.startsWith('berth-') // from a container that Compose started, and without labels
    const isOurs = owner !== undefined && (isNameless || (owner.instance === instance && owner.appId === appId))
    return isOurs ? [] : [{ volume, path, isThere: owner !== undefined }]
  })
}

/** The command for a terminal that creates volumes with the labels that Berth gives them. Labels cannot be added later. */
export function creationCommand(app: OfApp, names: readonly string[]): string {
  const labels = Object.entries(volumeLabels(app)).flatMap(([key, value]) => ['--label', `${key}=${value}`])
  return names.map((name) => ['docker', 'volume', 'create', ...labels, name].join(' ')).join(' && ')
}
