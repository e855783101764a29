import type { Settings } from '@berth/contract'
import { isPatchOf } from './versions.ts'

type Known = {
  settings: Pick<Settings, 'automaticUpdates' | 'updateWindow'>
  running: string
  offered: string
  /** Versions whose update failed: they are left to people. */
  failed: readonly string[]
  now: Date
}

export function isAutomatic({ settings, running, offered, failed, now }: Known): boolean {
  const { automaticUpdates, updateWindow } = settings
  if (automaticUpdates === 'off' || failed.includes(offered)) return false
  return (automaticUpdates === 'all' || isPatchOf(offered, running)) && isWithin(updateWindow, now)
}

/** `22:00-04:00` in UTC also covers the night that it spans; an empty window is always open. */
export function isWithin(window: string, now: Date): boolean {
  const [from, to] = window.split('-')
  if (from === undefined || to === undefined) return true
  const time = now.toISOString().slice(11, 16)
  return from <= to ? from <= time && time < to : from <= time || time < to
}
