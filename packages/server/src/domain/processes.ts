import type { AppProcess } from '@berth/contract'
import type { Owner } from '../engine/labels.ts'
import { kindOf } from './app-kinds.ts'
import type { AppRow, DeploymentRow } from './rows.ts'

/** One container of an app: the process that runs in it, empty for the main one, and its number among those that do the same. */
export type Place = { readonly process: string; readonly replica: number }

/** The processes in the settings of an app, or of a release. */
export function processesOf(row: Pick<AppRow, 'processes'>): AppProcess[] {
  return JSON.parse(row.processes) as AppProcess[] // written by us, as the contract says
}

/**
 * The processes of a release. Their commands are its own. How many run is a setting of the app, which can change without a deployment;
 * for those that are no longer in the settings, it is the number of the release, so that a rollback brings them back.
 */
export function processesWanted(app: Pick<AppRow, 'processes'>, release: Pick<DeploymentRow, 'processes'>): AppProcess[] {
  const replicasOf = new Map(processesOf(app).map(({ name, replicas }) => [name, replicas]))
  return processesOf(release).map((each) => ({ ...each, replicas: replicasOf.get(each.name) ?? each.replicas }))
}

/** Every container that a release should have, the main process first. */
export function placesOf(app: Pick<AppRow, 'replicas' | 'processes'>, release: Pick<DeploymentRow, 'processes'>): Place[] {
  return [{ name: '', replicas: app.replicas }, ...processesWanted(app, release)].flatMap(({ name, replicas }) =>
    Array.from({ length: replicas }, (_, index) => ({ process: name, replica: index + 1 })),
  )
}

export function isAt({ process, replica }: Place, owner: Pick<Owner, 'service' | 'replica'>): boolean {
  return (owner.service ?? '') === process && owner.replica === replica
}

/** How many containers an app can have: a process has as many as the settings or one of these releases say, whichever is more. */
export function mostContainers(app: Pick<AppRow, 'replicas' | 'processes'>, releases: readonly Pick<DeploymentRow, 'processes'>[]): number {
  const most = new Map<string, number>()
  for (const { name, replicas } of [app, ...releases].flatMap(processesOf)) most.set(name, Math.max(replicas, most.get(name) ?? 0))
  return [...most.values()].reduce((sum, replicas) => sum + replicas, app.replicas)
}

/** What the main process is called beside others. */
export function mainProcessName(app: Parameters<typeof kindOf>[0]): string {
  return kindOf(app).isRouted ? 'web' : 'main'
}
