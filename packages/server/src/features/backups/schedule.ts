import type { Backup, Settings } from '@berth/contract'

const DAY_MS = 24 * 60 * 60 * 1000
const EVERY_MS = { daily: DAY_MS, weekly: 7 * DAY_MS } as const

type Known = { schedule: Settings['backupSchedule']; newest: string | undefined; setUpAt: string | undefined }

/** A day or a week after the newest one, whether it was scheduled or manual. The first one is due a day or a week after setup. */
export function nextBackupAt({ schedule, newest, setUpAt }: Known): Date | undefined {
  const since = newest ?? setUpAt
  if (schedule === 'off' || since === undefined) return undefined
  return new Date(Date.parse(since) + EVERY_MS[schedule])
}

/** Keeps all backups of the newest days, so that several manual ones on one day do not displace earlier days. */
export function outdated(newestFirst: readonly Backup[], daysKept: number): readonly Backup[] {
  const days = [...new Set(newestFirst.map(({ createdAt }) => createdAt.slice(0, 10)))]
  const kept = new Set(days.slice(0, daysKept))
  return newestFirst.filter(({ createdAt }) => !kept.has(createdAt.slice(0, 10)))
}
