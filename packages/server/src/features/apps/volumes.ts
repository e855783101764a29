import { type AppProcess, type AppType, type AppVolume, type NewApplication, volumesProblem } from '@berth/contract'
import { kindOf } from '../../domain/app-kinds.ts'
import { volumesOf } from '../../domain/app-volumes.ts'
import { processesOf, processesWanted } from '../../domain/processes.ts'
import type { AppRow, DeploymentRow } from '../../domain/rows.ts'
import { fieldError } from '../../lib/app-error.ts'

type Given = NonNullable<NewApplication['volumes']>

/** The volumes of an app as they are stored, with nothing of the request but the known fields. */
export function volumesFrom(given: Given, app: { readonly app_type: AppType }): AppVolume[] {
  if (given.length > 0 && kindOf(app).madeFrom !== 'dockerfile')
    throw fieldError('invalid_request', 'volumes', 'belong to web and service apps: a database has its own, and a compose file says which')
  const volumes = given.map(({ name, path, shareable = false }) => ({ name, path, shareable }))
  refuseBadVolumes(volumes, [])
  return volumes
}

/** The settings of an app after a change of any of them. */
export function refuseBadStorage(
  app: Pick<AppRow, 'volumes' | 'replicas' | 'processes'>,
  files: readonly { readonly path: string }[],
): void {
  const volumes = volumesOf(app)
  refuseBadVolumes(volumes, files)
  refuseSeveralWriters({ replicas: app.replicas, processes: processesOf(app), volumes })
}

function refuseBadVolumes(volumes: readonly AppVolume[], files: readonly { readonly path: string }[]): void {
  const problem = volumesProblem({ volumes, files })
  if (problem !== undefined) throw fieldError('invalid_request', 'volumes', problem)
}

/** Several containers at once could destroy the data of a volume that is not shareable. */
export function refuseSeveralWriters(app: { replicas: number; processes: readonly AppProcess[]; volumes: readonly AppVolume[] }): void {
  const single = app.volumes.find(({ shareable }) => !shareable)
  if (single === undefined) return
  const why = `the volume ${single.name} is for one container at a time. Mark it as shareable if several may use it`
  if (app.replicas > 1) throw fieldError('invalid_request', 'replicas', `must be 1: ${why}`)
  if (app.processes.some(({ replicas }) => replicas > 0)) throw fieldError('invalid_request', 'processes', `must have 0 replicas: ${why}`)
}

type Change = { before: Pick<AppRow, 'volumes'>; after: Pick<AppRow, 'volumes'> }

/** The name of a volume that was shareable before a change, and is for one container at a time after it. */
export function volumeForOneNow({ before, after }: Change): string | undefined {
  const shared = new Set(volumesOf(before).flatMap(({ name, shareable }) => (shareable ? [name] : [])))
  return volumesOf(after).find(({ name, shareable }) => !shareable && shared.has(name))?.name
}

/** A process that is not in the settings any more runs until the next deployment, and may write to the volume. */
export function refuseLiveWriters(volume: string, app: Pick<AppRow, 'processes'>, live: Pick<DeploymentRow, 'processes'>): void {
  const writer = processesWanted(app, live).find(({ replicas }) => replicas > 0)
  if (writer === undefined) return
  const why = `the live release still runs it, and the volume ${volume} would be for one container at a time`
  throw fieldError('invalid_request', 'processes', `must name ${writer.name} with 0 replicas: ${why}`)
}
