const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const STEPS = [
  { below: 45 * SECOND, unit: 'second', ms: SECOND },
  { below: 45 * MINUTE, unit: 'minute', ms: MINUTE },
  { below: 22 * HOUR, unit: 'hour', ms: HOUR },
  { below: 26 * DAY, unit: 'day', ms: DAY },
  { below: 320 * DAY, unit: 'month', ms: 30.44 * DAY },
  { below: Number.POSITIVE_INFINITY, unit: 'year', ms: 365.25 * DAY },
] as const

const words = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

/** "just now", "4 minutes ago", "in 3 days". */
export function relativeTime(at: Date, now: Date): string {
  const distance = at.getTime() - now.getTime()
  const size = Math.abs(distance)
  if (size < 10 * SECOND) return 'just now'
  const step = STEPS.find(({ below }) => size < below) ?? STEPS[5]
  const count = Math.max(1, Math.round(size / step.ms))
  return words.format(distance < 0 ? -count : count, step.unit)
}

/** The exact time in the reader's own zone, for a tooltip. */
export function exactTime(at: Date): string {
  return at.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'long' })
}

/** As `durationWords`, and tenths of a second where they matter: "0.4 s". */
export function secondsWords(seconds: number): string {
  return seconds < 10 ? `${Number(seconds.toFixed(1))} s` : durationWords(seconds)
}

/** "under 1 s", "8 s", "2 min 5 s", "1 h 4 min", "3 d 2 h". */
export function durationWords(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  if (whole === 0) return 'under 1 s'
  if (whole < 60) return `${whole} s`
  if (whole < 3600) return join(Math.floor(whole / 60), 'min', whole % 60, 's')
  if (whole < 86_400) return join(Math.floor(whole / 3600), 'h', Math.floor((whole % 3600) / 60), 'min')
  return join(Math.floor(whole / 86_400), 'd', Math.floor((whole % 86_400) / 3600), 'h')
}

function join(big: number, bigUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${big} ${bigUnit}` : `${big} ${bigUnit} ${small} ${smallUnit}`
}
