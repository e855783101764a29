import { kindOf } from '../domain/app-kinds.ts'
import { placesOf } from '../domain/processes.ts'
import { configOf, type ReleaseConfig } from '../domain/release-config.ts'
import type { AppRow } from '../domain/rows.ts'
import { type LivePlaces, placesWanted } from '../domain/wanted-places.ts'
import type { VisitedPlace } from '../features/containers/restart-in-turn.ts'
import { listEndpoints } from '../features/deployments/release/compose/endpoint-store.ts'
import { findActive } from '../features/deployments/store.ts'
import type { Foundation } from './foundation.ts'

type Base = Pick<Foundation, 'db' | 'openRelease'>

/** What the live release of an app was started with; undefined if there is none, or if that was not recorded. */
export async function liveSettings({ db, openRelease }: Base, appId: number): Promise<ReleaseConfig | undefined> {
  const active = await findActive(db, appId)
  return active?.sealed_config ? openRelease(appId, active.sealed_config) : undefined
}

/** Where visitors of the live release are sent, by service; null is the app itself. The health check is that of the app's own port. */
export function createVisitedPlaces(base: Base) {
  return async (app: AppRow): Promise<ReadonlyMap<string | null, readonly VisitedPlace[]>> => {
    const { port = null, healthcheckPath: path = '' } = (await liveSettings(base, app.id)) ?? {}
    const own = port === null ? [] : [{ port, path }]
    if (!kindOf(app).hasServices) return new Map([[null, own]])
    const main = (await findActive(base.db, app.id))?.main_service ?? null
    const places = new Map([[main, own]])
    for (const { service, port: given } of await listEndpoints(base.db, app.id)) {
      const others = places.get(service) ?? []
      const visited = given ?? port
      if (visited !== null && !others.some((each) => each.port === visited)) places.set(service, [...others, { port: visited, path: '' }])
    }
    return places
  }
}

/** The names of its volumes. */
export function createLiveVolumes(base: Base) {
  return async (appId: number): Promise<string[]> => ((await liveSettings(base, appId))?.volumes ?? []).map(({ name }) => name)
}

/** The containers that it should have. What cannot be read counts as the settings of the app, as for `app.restore`, which does the work. */
export function createLivePlaces({ db, openRelease }: Base): LivePlaces {
  return async (app, active) => {
    const most = placesOf(app, active)
    if (most.length === 1) return most // whatever its volumes are
    const sealed = (await findActive(db, app.id))?.sealed_config ?? ''
    let config = configOf(app, {})
    try {
      if (sealed !== '') config = openRelease(app.id, sealed)
    } catch {
      // damaged, or sealed with another key
    }
    return placesWanted({ app, config, deployment: active })
  }
}
