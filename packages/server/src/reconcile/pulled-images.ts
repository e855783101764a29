import { projectOfPulled } from '../engine/image-names.ts'
import { createPlannedImages } from './planned-images.ts'
import type { KeptRelease } from './store.ts'

type Known = { readonly projectOf: ReadonlyMap<number, number>; readonly releases: readonly KeptRelease[] }
type Options = { instance: string; known: Known; isBusy: (appId: number) => boolean; plansOf: (appId: number) => string }

/**
 * The pulled images that no release needs. They belong to a project, because several of its apps may use one, and are told by name, because
 * their labels are their author's. A project with work in progress is left alone.
 */
export async function unusedPulled(names: readonly string[], { instance, known, isBusy, plansOf }: Options): Promise<string[]> {
  const kept = new Set(known.releases.flatMap(({ artifact }) => (artifact.kind === 'image' ? [artifact.tag] : [])))
  const plannedImages = createPlannedImages({ directoryOf: plansOf, releases: known.releases })
  const unused: string[] = []
  for (const name of names) {
    const projectId = projectOfPulled(instance, name)
    if (projectId === null || kept.has(name)) continue
    const apps = [...known.projectOf].flatMap(([appId, ofProject]) => (ofProject === projectId ? [appId] : []))
    const planned = await Promise.all(apps.map(async (appId) => (await plannedImages(appId)).has(name)))
    if (!apps.some(isBusy) && !planned.includes(true)) unused.push(name)
  }
  return unused
}
