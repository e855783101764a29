import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { KeptRelease } from './store.ts'

/** The file as `planCompose` writes it: one key a line. */
const IMAGE = /^\s*"image": "([^"]+)",?$/gm

/** The images that the kept plans of an app name. Each plan is read once, and only the names are kept: a plan may have a megabyte. */
export function createPlannedImages({
  directoryOf,
  releases,
}: {
  directoryOf: (appId: number) => string
  releases: readonly KeptRelease[]
}) {
  const known = new Map<number, Promise<ReadonlySet<string>>>()

  async function read(appId: number): Promise<ReadonlySet<string>> {
    const images = new Set<string>()
    for (const { id } of releases.filter((release) => release.appId === appId && release.artifact.kind === 'compose')) {
      const text = await readFile(join(directoryOf(appId), `d${id}`, 'compose.json'), 'utf8').catch(() => '')
      for (const [, image = ''] of text.matchAll(IMAGE)) images.add(image)
    }
    return images
  }

  return async function plannedImages(appId: number): Promise<ReadonlySet<string>> {
    const found = known.get(appId) ?? read(appId)
    known.set(appId, found)
    return await found
  }
}
