import { WrongUsage } from './command.ts'

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 }

/** Converts "10m", "2h", "1d" or a time to a time for the API. */
export function sinceOf(text: string, now: Date): string {
  const [, amount, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  if (amount !== undefined && unit !== undefined)
    return new Date(now.getTime() - Number(amount) * (SECONDS[unit] ?? 1) * 1000).toISOString()
  const at = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(at)) throw new WrongUsage('--since must be a duration such as 10m, 2h or 1d, or a time such as 2026-01-31T12:00:00Z.')
  return new Date(at).toISOString()
}
