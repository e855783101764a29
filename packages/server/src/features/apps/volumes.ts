import { type AppType, type AppVolume, type NewApplication, volumesProblem } from '@berth/contract'
import { kindOf } from '../../domain/app-kinds.ts'
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

export function refuseBadVolumes(volumes: readonly AppVolume[], files: readonly { readonly path: string }[]): void {
  const problem = volumesProblem({ volumes, files })
  if (problem !== undefined) throw fieldError('invalid_request', 'volumes', problem)
}
