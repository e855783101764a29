import type { ReleaseConfig } from '../domain/release-config.ts'
import { findActive } from '../features/deployments/store.ts'
import type { Foundation } from './foundation.ts'

/** What the live release of an app was started with; undefined if there is none, or if that was not recorded. */
export async function liveSettings(
  { db, openRelease }: Pick<Foundation, 'db' | 'openRelease'>,
  appId: number,
): Promise<ReleaseConfig | undefined> {
  const active = await findActive(db, appId)
  return active?.sealed_config ? openRelease(appId, active.sealed_config) : undefined
}
