import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Engine } from '../../../engine/engine.ts'
import { GUESSABLE_IMAGE_NAME } from '../../../engine/image-names.ts'
import type { Logger } from '../../../lib/logger.ts'
import { writeDurably } from '../../../lib/write-durably.ts'
import type { Db } from '../../../store/database.ts'
import { readFact, writeFact } from '../../../store/facts.ts'
import { imageNames, renameImage } from '../store.ts'

type Deps = {
  db: Db
  engine: Pick<Engine, 'images'>
  dataDir: string
  newImageName: () => string
  log: Pick<Logger, 'info' | 'warn'>
}

const DONE = 'images_renamed'
const PLAN_FILES = /^(plan|compose)\.json$/
const NAME_IN_TEXT = new RegExp(GUESSABLE_IMAGE_NAME.source.slice(1, -1), 'g')

/** Once, on the first start of this version: renames images with guessable names, before anything is built or started. */
export function createRenameImages(deps: Deps) {
  const { db, engine, log } = deps

  async function renameAll(): Promise<number> {
    const names = (await imageNames(db)).filter((name) => GUESSABLE_IMAGE_NAME.test(name))
    const plans = await planFiles(join(deps.dataDir, 'compose'))
    const inPlans = plans.flatMap(({ text }) => text.match(NAME_IN_TEXT) ?? [])
    const renamed = new Map([...new Set([...names, ...inPlans])].map((name) => [name, deps.newImageName()]))
    for (const [from, to] of renamed) if (await engine.images.exists(from)) await engine.images.tag(from, to)
    for (const { path, text } of plans)
      await writeDurably(
        path,
        text.replaceAll(NAME_IN_TEXT, (name) => renamed.get(name) ?? name),
      )
    await db.transaction(async (tx) => {
      for (const [from, to] of renamed) await renameImage(tx, from, to)
      await writeFact(tx, DONE, 'true')
    })
    for (const from of renamed.keys()) await engine.images.remove(from)
    return renamed.size
  }

  /** Without an engine it is postponed to the next start. */
  return async function renameImages(): Promise<void> {
    if ((await readFact(db, DONE)) !== undefined) return
    try {
      const count = await renameAll()
      if (count > 0) log.info({ count }, 'images were given names that cannot be guessed')
    } catch (err) {
      log.warn({ err }, 'images with names that can be guessed were not renamed; the next start tries again')
    }
  }
}

async function planFiles(directory: string): Promise<{ path: string; text: string }[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = entries.filter((entry) => entry.isFile() && PLAN_FILES.test(entry.name)).map((entry) => join(entry.parentPath, entry.name))
  return await Promise.all(files.map(async (path) => ({ path, text: await readFile(path, 'utf8') })))
}
