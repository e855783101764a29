import type { LimitedBuild } from '../../../engine/build/build.ts'
import type { Engine } from '../../../engine/engine.ts'
import type { Db } from '../../../store/database.ts'
import { endBuildTime, forgetBuildTimesBefore, insertBuildTime, listBuildTimes } from './build-times-store.ts'

type Deps = { db: Db; now: () => Date }

/**
 * When our builds ran. The engine's cache does not say who created a record, and others may build on the same engine; records created
 * during one of our builds are considered ours.
 */
export function createBuildTimes({ db, now }: Deps) {
  async function during<Result>(build: () => Promise<Result>): Promise<Result> {
    const id = await db.transaction(async (tx) => await insertBuildTime(tx, now()))
    try {
      return await build()
    } finally {
      await db.transaction(async (tx) => await endBuildTime(tx, id, now())).catch(() => undefined) // then its cache is kept, which is harmless
    }
  }

  async function isOurs(): Promise<(createdAt: string) => boolean> {
    const times = (await listBuildTimes(db)).map(({ started_at, ended_at }) => [Date.parse(started_at), Date.parse(ended_at ?? started_at)])
    return (createdAt) => {
      const at = Date.parse(createdAt)
      return times.some(([start = 0, end = 0]) => start <= at && at <= end)
    }
  }

  return {
    during,
    isOurs,
    forgetBefore: async (at: Date) => await db.transaction(async (tx) => await forgetBuildTimesBefore(tx, at)),
  }
}

export type BuildTimes = ReturnType<typeof createBuildTimes>

type Machine = { cores: number; memoryBytes: number }
type BuildDeps = { engine: Pick<Engine, 'build'>; buildTimes: Pick<BuildTimes, 'during'>; machine: Machine }

/** Runs a build within resource limits, and records when it ran. */
export function createLimitedBuild({ engine, buildTimes, machine }: BuildDeps): LimitedBuild {
  const { cores, memoryBytes } = machine
  const limits = {
    memoryBytes: Math.floor(memoryBytes * 0.6),
    cpus: Math.max(1, cores - 0.5),
    processes: Math.max(1024, 128 * cores), // threads count too, and build tools start several per core
  }
  return (request) => buildTimes.during(() => engine.build({ ...request, ...limits }))
}
