import { mkdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ComposePlan } from '../../../../engine/compose/stack.ts'
import { writeDurably } from '../../../../lib/write-durably.ts'
import { volumesIn } from './plan.ts'

const FILE = 'filled.json'

/**
 * The volumes of an app that were filled with files of a commit and now contain data: those of the live release and of all earlier live
 * ones. A folder that one release drops and a later one brings back keeps its data. `directory` holds the plan of the live release.
 */
export async function rememberFilled(directory: string, live: ComposePlan | undefined): Promise<(volume: string) => boolean> {
  const file = join(dirname(directory), FILE)
  const text = await readFile(file, 'utf8').catch(() => '[]')
  const known = new Set(JSON.parse(text) as string[]) // written below and nowhere else
  const filled = live?.services.flatMap(({ mounts }) => mounts.flatMap(({ volume, fill }) => (fill?.once ? [volume] : []))) ?? []
  const added = filled.filter((volume) => !known.has(volume))
  if (added.length > 0) {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await writeDurably(file, JSON.stringify([...known, ...added]))
  }
  const isLive = volumesIn(live)
  return (volume) => isLive(volume) || known.has(volume)
}
