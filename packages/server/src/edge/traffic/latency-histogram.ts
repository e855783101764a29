/** A histogram of latencies in steps of about 20 %: 128 numbers cover everything from 0 ms to hours. */
export type LatencyHistogram = Uint32Array

const STEPS = 128
const GROWTH = 1.15

export function emptyHistogram(): LatencyHistogram {
  return new Uint32Array(STEPS)
}

export function addLatency(histogram: LatencyHistogram, ms: number): void {
  const step = ms < 1 ? 0 : Math.min(STEPS - 1, 1 + Math.floor(Math.log(ms) / Math.log(GROWTH)))
  histogram[step] = (histogram[step] ?? 0) + 1
}

/** The upper end of the step that holds the quantile, or undefined when nothing was counted. */
export function quantileMs(histograms: readonly LatencyHistogram[], quantile: number): number | undefined {
  const counts = Array.from({ length: STEPS }, (_, step) => histograms.reduce((sum, each) => sum + (each[step] ?? 0), 0))
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total === 0) return undefined
  let left = Math.ceil(total * quantile)
  for (const [step, count] of counts.entries()) {
    left -= count
    if (left <= 0) return step === 0 ? 1 : Math.ceil(GROWTH ** step)
  }
  return Math.ceil(GROWTH ** STEPS)
}
