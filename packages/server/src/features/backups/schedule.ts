import type { Settings } from '@berth/contract'

const DAY_MS = 24 * 60 * 60 * 1000
const EVERY_MS = { daily: DAY_MS, weekly: 7 * DAY_MS } as const

type Known = { schedule: Settings['backupSchedule']; newest: string | undefined; setUpAt: string | undefined }

/** A day or a week after the newest one, however that was made. The first one is due a day or a week after the set-up. */
export function nextBackupAt({ schedule, newest, setUpAt }: Known): Date | undefined {
  const since = newest ?? setUpAt
  if (schedule === 'off' || since === undefined) return undefined
  return new Date(Date.parse(since) + EVERY_MS[schedule])
}
