import type { LimitedBuild } from '../../../engine/build/build.ts'
import type { Engine } from '../../../engine/engine.ts'
import type { BuildTimes } from '../build-cache/build-times.ts'

type Machine = { cores: number; memoryBytes: number }
type Deps = { engine: Pick<Engine, 'build'>; buildTimes: Pick<BuildTimes, 'during'>; machine: Machine }

/** Runs a build within resource limits, and records when it ran. */
export function createLimitedBuild({ engine, buildTimes, machine }: Deps): LimitedBuild {
  const { cores, memoryBytes } = machine
  const limits = {
    memoryBytes: Math.floor(memoryBytes * 0.6),
    cpus: Math.max(1, cores - 0.5),
    processes: Math.max(1024, 128 * cores), // threads count too, and build tools start several per core
  }
  return (request) => buildTimes.during(() => engine.build({ ...request, ...limits }))
}
