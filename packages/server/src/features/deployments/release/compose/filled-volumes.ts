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
  const known = await readFilled(directory)
  const filled = live?.services.flatMap(({ mounts }) => mounts.flatMap(({ volume, fill }) => (fill?.once ? [volume] : []))) ?? []
  await addFilled(directory, filled)
  const isLive = volumesIn(live)
  return (volume) => isLive(volume) || known.has(volume)
}

const fileBeside = (directory: string) => join(dirname(directory), FILE)

/** Those of the app whose plans are beside this one. */
export async function readFilled(directory: string): Promise<ReadonlySet<string>> {
  const text = await readFile(fileBeside(directory), 'utf8').catch(() => '[]')
  return new Set(JSON.parse(text) as string[]) // written below and nowhere else
}

export async function addFilled(directory: string, filled: readonly string[]): Promise<void> {
  const known = await readFilled(directory)
  const added = filled.filter((volume) => !known.has(volume))
  if (added.length === 0) return
  await mkdir(dirname(directory), { recursive: true, mode: 0o700 })
  await writeDurably(fileBeside(directory), JSON.stringify([...known, ...added]))
}
