import type { AppVolume } from '@berth/contract'
import { kindOf } from './app-kinds.ts'
import type { ReleaseConfig } from './release-config.ts'
import type { AppRow } from './rows.ts'

/** The volumes in the settings of an app. */
export function volumesOf(app: Pick<AppRow, 'volumes'>): AppVolume[] {
  return JSON.parse(app.volumes) as AppVolume[] // written by us, as the contract says
}

/**
 * Whether a release must have its data for itself: two at once could destroy it. What counts is how a volume is marked now, not when the
 * release was made: a rollback must not bring back a permission that was withdrawn. Of a volume that is not in the settings any more, the
 * last mark counts.
 */
export function holdsDataAlone(app: Pick<AppRow, 'volumes'>, config: Pick<ReleaseConfig, 'type' | 'volumes'>): boolean {
  if (kindOf(config).keepsData) return true
  const marks = new Map(volumesOf(app).map(({ name, shareable }) => [name, shareable]))
  return (config.volumes ?? []).some(({ name, shareable = false }) => !(marks.get(name) ?? shareable))
}
