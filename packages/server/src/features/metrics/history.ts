import type { MetricsHistory, MetricsPoint } from '@berth/contract'
import { type Counters, lookAtMachine, readCounters } from './machine.ts'

type Deps = { dataDir: string; first: Counters; now: () => Date }

export const SAMPLE_EVERY_MS = 10_000
const KEPT = 360

/** The server metrics of the last hour, in memory only. */
export function createMetricsHistory(deps: Deps) {
  const since = deps.now().toISOString()
  const points: MetricsPoint[] = []
  let last = deps.first

  async function sample(): Promise<void> {
    const counters = await readCounters()
    const { cpu, memory, disk, load, network } = await lookAtMachine(deps.dataDir, last, counters)
    last = counters
    points.push({
      at: deps.now().toISOString(),
      cpu: { usage: cpu.usage },
      memory: { percent: memory.percent },
      disk: { percent: disk.percent },
      load,
      network,
    })
    if (points.length > KEPT) points.shift()
  }

  function read(): MetricsHistory {
    return { since, everySeconds: SAMPLE_EVERY_MS / 1000, points: [...points] }
  }

  return { sample, read, lastCounters: () => last }
}

export type MetricsHistoryKeeper = ReturnType<typeof createMetricsHistory>
