import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { appLane } from '../domain/job-names.ts'
import { lanesInQueue } from '../queue/queue-store.ts'
import type { Reader } from '../store/database.ts'
import { numberedFiles } from './numbered-files.ts'
import { type KeptRelease, keptReleases, knownIds } from './store.ts'

type Plans = { appId: number; plans: { name: string; id: number }[] }
type Known = { apps: ReadonlySet<number>; releases: readonly KeptRelease[] }

export function plansDirectory(dataDir: string, appId: number): string {
  return join(dataDir, 'compose', `app-${appId}`)
}

/** The plan files of each app that has any. */
export async function listPlans(dataDir: string): Promise<Plans[]> {
  const apps = await numberedFiles(join(dataDir, 'compose'), /^app-(\d+)$/)
  return await Promise.all(apps.map(async ({ id }) => ({ appId: id, plans: await numberedFiles(plansDirectory(dataDir, id), /^d(\d+)$/) })))
}

/** Removes those that no release needs. */
export async function sweepPlans(dataDir: string, { appId, plans }: Plans, known: Known): Promise<void> {
  const directory = plansDirectory(dataDir, appId)
  if (!known.apps.has(appId)) return await rm(directory, { recursive: true, force: true })
  const kept = new Set(known.releases.filter((release) => release.appId === appId).map(({ id }) => id))
  for (const { name, id } of plans) if (!kept.has(id)) await rm(join(directory, name), { recursive: true, force: true })
}

/** Of several nodes each has files of its own, so each does this. */
export function createSweepOwnPlans({ db, dataDir }: { db: Reader; dataDir: string }) {
  return async function sweepOwnPlans(): Promise<void> {
    const plans = await listPlans(dataDir) // before the rows: a plan comes after its row
    if (plans.length === 0) return
    const lanes = new Set(await lanesInQueue(db))
    const known = { ...(await knownIds(db)), releases: await keptReleases(db) }
    for (const ofApp of plans) if (!lanes.has(appLane(ofApp.appId))) await sweepPlans(dataDir, ofApp, known)
  }
}
