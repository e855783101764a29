import { type AppType, type AppVolume, type NewApplication, volumesProblem } from '@berth/contract'
import { kindOf } from '../../domain/app-kinds.ts'
import { volumesOf } from '../../domain/app-volumes.ts'
import type { AppRow } from '../../domain/rows.ts'
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
export function refuseBadStorage(app: Pick<AppRow, 'volumes' | 'replicas'>, files: readonly { readonly path: string }[]): void {
  const volumes = volumesOf(app)
  refuseBadVolumes(volumes, files)
  refuseSeveralWriters({ replicas: app.replicas, volumes })
}

function refuseBadVolumes(volumes: readonly AppVolume[], files: readonly { readonly path: string }[]): void {
  const problem = volumesProblem({ volumes, files })
  if (problem !== undefined) throw fieldError('invalid_request', 'volumes', problem)
}

/** Several containers at once could destroy the data of a volume that is not shareable. */
export function refuseSeveralWriters({ replicas, volumes }: { replicas: number; volumes: readonly AppVolume[] }): void {
  const single = volumes.find(({ shareable }) => !shareable)
  if (replicas === 1 || single === undefined) return
  const way = 'Mark it as shareable if several may use it'
  throw fieldError('invalid_request', 'replicas', `must be 1: the volume ${single.name} is for one container at a time. ${way}`)
}
