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
