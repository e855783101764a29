import type { ReleaseConfig } from '../domain/release-config.ts'
import { findActive } from '../features/deployments/store.ts'
import type { Foundation } from './foundation.ts'

type Base = Pick<Foundation, 'db' | 'openRelease'>

/** What the live release of an app was started with; undefined if there is none, or if that was not recorded. */
export async function liveSettings({ db, openRelease }: Base, appId: number): Promise<ReleaseConfig | undefined> {
  const active = await findActive(db, appId)
  return active?.sealed_config ? openRelease(appId, active.sealed_config) : undefined
}

/** The names of its volumes. */
export function createLiveVolumes(base: Base) {
  return async (appId: number): Promise<string[]> => ((await liveSettings(base, appId))?.volumes ?? []).map(({ name }) => name)
}
