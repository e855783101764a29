import type { Settings } from '@berth/contract'
import type { UpdateRecord } from '../../supervisor/update-record.ts'
import { isPatchOf } from './versions.ts'

const DAY_MS = 24 * 60 * 60 * 1000

type Failed = Pick<UpdateRecord, 'to' | 'failedIn' | 'endedAt'>
type Known = {
  settings: Pick<Settings, 'automaticUpdates' | 'updateWindow'>
  running: string
  offered: string
  /** Updates that failed. */
  failed: readonly Failed[]
  now: Date
}

export function isAutomatic({ settings, running, offered, failed, now }: Known): boolean {
  const { automaticUpdates, updateWindow } = settings
  if (automaticUpdates === 'off' || failed.some((update) => update.to === offered && needsAPerson(update, now))) return false
  return (automaticUpdates === 'all' || isPatchOf(offered, running)) && isWithin(updateWindow, now)
}

/** Before it is unpacked, only the network or the disk can be the cause, so it is retried a day later. */
function needsAPerson({ failedIn, endedAt }: Failed, now: Date): boolean {
  const isOfVersion = failedIn !== 'downloading' && failedIn !== 'checking'
  return isOfVersion || now.getTime() - Date.parse(endedAt ?? '') < DAY_MS
}

/** `22:00-04:00` in UTC also covers the night that it spans; an empty window is always open. */
export function isWithin(window: string, now: Date): boolean {
  const [from, to] = window.split('-')
  if (from === undefined || to === undefined) return true
  const time = now.toISOString().slice(11, 16)
  return from <= to ? from <= time && time < to : from <= time || time < to
}
