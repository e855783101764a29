import { hash } from 'node:crypto'
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { SecretBox } from '../../../../lib/secret-box.ts'
import { createSemaphore } from '../../../../lib/semaphore.ts'
import { writeDurably } from '../../../../lib/write-durably.ts'
import type { Db } from '../../../../store/database.ts'
import { deleteFiles, findFile, putFile } from '../../files-store.ts'
import { aboutDeploymentFile } from '../../shared-files.ts'
import { addFilled, readFilled } from './filled-volumes.ts'
import { hasPlan, planDirectory } from './plan.ts'
import { keptPlans, listedPlans } from './shared-plans-store.ts'

type Deps = { db: Db; secrets: Pick<SecretBox, 'seal' | 'open'>; dataDir: string }
type PlanOf = { readonly appId: number; readonly deploymentId: number }
/** The files of a plan with their hashes, and the volumes of the app that contain data. */
type Manifest = { readonly files: Readonly<Record<string, string>>; readonly filled: readonly string[] }

const MANIFEST = 'plan'
const PLAN = 'plan.json'
const nameOf = (path: string) => `${MANIFEST}/${path}`

/**
 * The plans of compose apps, which each node keeps as files, in the database as well: so another node can start a release again, and knows
 * which images it needs. A Berth without a name stores nothing.
 */
export function createSharedPlans({ db, secrets, dataDir }: Deps) {
  /** What was read or written last, as it is in the database. */
  const known = new Map<number, string>()
  const oneAtATime = createSemaphore(1)
  const directoryOf = ({ appId, deploymentId }: PlanOf) => planDirectory(dataDir, appId, deploymentId)
  const rows = createRows({ db, secrets })

  /** Call when the files of these deployments are complete, and before a row says that they are. */
  async function store(appId: number, deploymentIds: readonly (number | undefined)[]): Promise<void> {
    for (const deploymentId of new Set(deploymentIds)) if (deploymentId !== undefined) await storeOne({ appId, deploymentId })
  }

  async function storeOne(plan: PlanOf): Promise<void> {
    await oneAtATime.run(async () => {
      const directory = directoryOf(plan)
      const found = await filesIn(directory)
      if (!found.has(PLAN)) return
      const manifest = { files: hashesOf(found), filled: [...(await readFilled(directory))] }
      const before = await rows.manifest(plan.deploymentId)
      if (before && JSON.stringify(before.manifest) === JSON.stringify(manifest)) return void known.set(plan.deploymentId, before.sealed)
      const isNew = ([path]: [string, Buffer]) => before?.manifest.files[path] !== manifest.files[path]
      const gone = Object.keys(before?.manifest.files ?? {}).filter((path) => !found.has(path))
      known.set(plan.deploymentId, await rows.put(plan.deploymentId, { manifest, changed: [...found].filter(isNew), gone }))
    })
  }

  /** Writes what another node has stored into the files of this one. Returns whether the plan is there. */
  async function fetch(plan: PlanOf): Promise<boolean> {
    return await oneAtATime.run(async () => {
      const directory = directoryOf(plan)
      const stored = await rows.manifest(plan.deploymentId)
      const isThere = await hasPlan(directory)
      if (stored === undefined || (known.get(plan.deploymentId) === stored.sealed && isThere)) return isThere
      const found = await filesIn(directory)
      const has = hashesOf(found)
      const missing = Object.keys(stored.manifest.files).filter((path) => has[path] !== stored.manifest.files[path])
      for (const path of missing.toSorted(planLast)) {
        await mkdir(dirname(join(directory, path)), { recursive: true, mode: 0o700 })
        await writeDurably(join(directory, path), await rows.read(plan.deploymentId, path))
      }
      for (const path of found.keys()) if (stored.manifest.files[path] === undefined) await rm(join(directory, path), { force: true })
      await addFilled(directory, stored.manifest.filled)
      known.set(plan.deploymentId, stored.sealed)
      return true
    })
  }

  /** Those of one app. Call before work on it begins: nobody else works on it meanwhile. */
  async function fetchApp(appId: number): Promise<void> {
    for (const deploymentId of await listedPlans(db, appId)) await fetch({ appId, deploymentId })
  }

  /** What a Berth without a name, or an earlier run, has not stored. */
  async function storeMissing(): Promise<void> {
    for (const plan of await keptPlans(db)) if (!(await rows.manifest(plan.deploymentId))) await storeOne(plan)
  }

  return { store, fetch, fetchApp, storeMissing }
}

export type SharedPlans = ReturnType<typeof createSharedPlans>

type Change = { manifest: Manifest; changed: readonly (readonly [string, Buffer])[]; gone: readonly string[] }

function createRows({ db, secrets }: Pick<Deps, 'db' | 'secrets'>) {
  const seal = (deploymentId: number, name: string, text: string) => ({
    deployment_id: deploymentId,
    name,
    sealed_content: secrets.seal(text, aboutDeploymentFile({ deploymentId, name })),
  })

  async function read(deploymentId: number, name: string): Promise<{ sealed: string; text: string } | undefined> {
    const sealed = await findFile(db, deploymentId, name)
    return sealed === undefined ? undefined : { sealed, text: secrets.open(sealed, aboutDeploymentFile({ deploymentId, name })) }
  }

  return {
    async manifest(deploymentId: number): Promise<{ sealed: string; manifest: Manifest } | undefined> {
      const row = await read(deploymentId, MANIFEST)
      return row && { sealed: row.sealed, manifest: JSON.parse(row.text) as Manifest } // only `put` writes it
    },
    async read(deploymentId: number, path: string): Promise<Buffer> {
      const row = await read(deploymentId, nameOf(path))
      if (row === undefined) throw new Error(`the plan of deployment ${deploymentId} lacks a file in the database`)
      return Buffer.from(row.text, 'base64')
    },
    /** Returns the manifest as it is stored. */
    async put(deploymentId: number, { manifest, changed, gone }: Change): Promise<string> {
      const sealed = seal(deploymentId, MANIFEST, JSON.stringify(manifest))
      await db.transaction(async (tx) => {
        for (const [path, contents] of changed) await putFile(tx, seal(deploymentId, nameOf(path), contents.toString('base64')))
        await deleteFiles(tx, deploymentId, gone.map(nameOf))
        await putFile(tx, sealed)
      })
      return sealed.sealed_content
    },
  }
}

/** The plan itself counts as a sign that the rest is there. */
function planLast(a: string, b: string): number {
  return Number(a === PLAN) - Number(b === PLAN)
}

/** By path, in order. */
async function filesIn(directory: string): Promise<Map<string, Buffer>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => [])
  const paths = entries
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.new')) // what a crash left half written
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
  const read = paths.toSorted().map(async (path) => [path, await readFile(join(directory, path))] as const)
  return new Map(await Promise.all(read))
}

function hashesOf(files: ReadonlyMap<string, Buffer>): Record<string, string> {
  return Object.fromEntries([...files].map(([path, contents]) => [path, hash('sha256', contents, 'hex')]))
}
