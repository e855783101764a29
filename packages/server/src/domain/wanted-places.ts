import type { ContainerSummary } from '../engine/container-state.ts'
import { holdsDataAlone } from './app-volumes.ts'
import { isAt, type Place, placesOf } from './processes.ts'
import type { ReleaseConfig } from './release-config.ts'
import type { AppRow, DeploymentRow } from './rows.ts'

type Wanting = {
  app: Pick<AppRow, 'volumes' | 'replicas' | 'processes'>
  config: Pick<ReleaseConfig, 'type' | 'volumes'>
  deployment: Pick<DeploymentRow, 'processes'>
}

/** The containers of a release. A volume that is for one container at a time has one, whatever numbers the settings say by now. */
export function placesWanted({ app, config, deployment }: Wanting): Place[] {
  return holdsDataAlone(app, config) ? [{ process: '', replica: 1 }] : placesOf(app, deployment)
}

export function isWanted(context: Wanting, { owner }: Pick<ContainerSummary, 'owner'>): boolean {
  return placesWanted(context).some((place) => isAt(place, owner))
}

/** The same for a live release, whose settings are only opened where they matter. */
export type LivePlaces = (app: AppRow, active: Pick<DeploymentRow, 'processes'>) => Promise<Place[]>
