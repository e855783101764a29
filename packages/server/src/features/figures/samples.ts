import type { Figures } from '@berth/contract'

/** The metrics of one minute. NaN where nothing could be measured. */
const COLUMNS = ['cpu', 'memory', 'requests', 'errors', 'p50', 'p99'] as const
type Column = (typeof COLUMNS)[number]
export type Sample = Readonly<Record<Column, number>>
/** The minutes of one hour, column by column. */
export type Hour = Float32Array

const MINUTES = 60
/** 25 hours, because the last 24 begin within the oldest one. */
export const HOURS_KEPT = 25

export function emptyHour(): Hour {
  return new Float32Array(MINUTES * COLUMNS.length).fill(Number.NaN)
}

export function putSample(hour: Hour, minute: number, sample: Sample): void {
  COLUMNS.forEach((column, at) => {
    hour[at * MINUTES + (minute % MINUTES)] = sample[column]
  })
}

export function hasSample(hour: Hour, minute: number): boolean {
  return !Number.isNaN(hour[COLUMNS.indexOf('requests') * MINUTES + (minute % MINUTES)] ?? Number.NaN)
}

function valueOf(hours: ReadonlyMap<number, Hour>, minute: number, column: Column): number {
  const hour = hours.get(Math.floor(minute / MINUTES))
  return hour?.[COLUMNS.indexOf(column) * MINUTES + (minute % MINUTES)] ?? Number.NaN
}

/** Floats in the machine's byte order; the database stays on the same machine. */
export function bytesOf(hour: Hour): Buffer {
  const bytes = Buffer.alloc(hour.length * 4)
  hour.forEach((value, at) => bytes.writeFloatLE(value, at * 4))
  return bytes
}

export function hourFrom(bytes: Uint8Array): Hour {
  const hour = emptyHour()
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = 0; at < hour.length && at * 4 + 4 <= bytes.byteLength; at += 1) hour[at] = view.getFloat32(at * 4, true)
  return hour
}

/** A slow request must not disappear among fast ones, so p99 keeps the maximum. */
const PEAKS: readonly Column[] = ['p99']

type Span = { from: number; minutes: number; every: number }

/** The metrics of a period in steps of `every` minutes; null where nothing was measured. */
export function figuresOf(hours: ReadonlyMap<number, Hour>, { from, minutes, every }: Span): Omit<Figures, 'from' | 'everySeconds'> {
  const columnOf = (column: Column) =>
    Array.from({ length: Math.ceil(minutes / every) }, (_unused, step) => {
      const values = Array.from({ length: every }, (_none, at) => valueOf(hours, from + step * every + at, column)).filter(
        (value) => !Number.isNaN(value),
      )
      if (values.length === 0) return null
      const value = PEAKS.includes(column) ? Math.max(...values) : values.reduce((sum, each) => sum + each, 0) / values.length
      return Number(value.toPrecision(4))
    })
  return {
    cpu: columnOf('cpu'),
    memory: columnOf('memory'),
    requests: columnOf('requests'),
    errors: columnOf('errors'),
    p50: columnOf('p50'),
    p99: columnOf('p99'),
  }
}
