import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parsePlan } from '../engine/compose/kept-plan.ts'
import type { KeptRelease } from './store.ts'

/**
 * The images named in the stored plans of an app. Each plan is read once and only the names are kept in memory: a plan may have a
 * megabyte.
 */
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
      const text = await readFile(join(directoryOf(appId), `d${id}`, 'plan.json'), 'utf8').catch(() => '')
      for (const { image } of text === '' ? [] : parsePlan(text).services) images.add(image)
    }
    return images
  }

  return async function plannedImages(appId: number): Promise<ReadonlySet<string>> {
    const found = known.get(appId) ?? read(appId)
    known.set(appId, found)
    return await found
  }
}
