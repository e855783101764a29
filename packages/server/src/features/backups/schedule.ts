import type { Backup, Settings } from '@berth/contract'

const DAY_MS = 24 * 60 * 60 * 1000
const EVERY_MS = { daily: DAY_MS, weekly: 7 * DAY_MS } as const

type Known = { schedule: Settings['backupSchedule']; newest: string | undefined; setUpAt: string | undefined }

/** A day or a week after the newest one, however that was made. The first one is due a day or a week after the set-up. */
export function nextBackupAt({ schedule, newest, setUpAt }: Known): Date | undefined {
  const since = newest ?? setUpAt
  if (schedule === 'off' || since === undefined) return undefined
  return new Date(Date.parse(since) + EVERY_MS[schedule])
}

/** Those of the newest days are kept, so that several made by hand on one day do not push out the days before. */
export function outdated(newestFirst: readonly Backup[], daysKept: number): readonly Backup[] {
  const days = [...new Set(newestFirst.map(({ createdAt }) => createdAt.slice(0, 10)))]
  const kept = new Set(days.slice(0, daysKept))
  return newestFirst.filter(({ createdAt }) => !kept.has(createdAt.slice(0, 10)))
}
