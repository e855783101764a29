import { holdsDataAlone } from '../../../../domain/app-volumes.ts'
import { isAt, type Place, placesOf } from '../../../../domain/processes.ts'
import type { ContainerSummary } from '../../../../engine/container-state.ts'
import type { Context } from '../../run/stage.ts'

type Wanting = Pick<Context, 'app' | 'config' | 'deployment'>

/** The containers of a release. A volume that is for one container at a time has one, whatever numbers the settings say by now. */
export function placesWanted({ app, config, deployment }: Wanting): Place[] {
  return holdsDataAlone(app, config) ? [{ process: '', replica: 1 }] : placesOf(app, deployment)
}

export function isWanted(context: Wanting, { owner }: ContainerSummary): boolean {
  return placesWanted(context).some((place) => isAt(place, owner))
}
