import { forgetChallenges } from '../edge/certificates/challenges-store.ts'
import { forgetEvents } from '../events/event-log.ts'
import { createForgetAudit } from '../features/audit/forget.ts'
import { forgetLoginDelays } from '../features/auth/login-delays-store.ts'
import { FORGET_AFTER_MS } from '../features/auth/slow-down.ts'
import { forgetBuildTimesBeyond } from '../features/deployments/build-cache/build-times-store.ts'
import { forgetPlans } from '../features/deployments/release/compose/shared-plans-store.ts'
import { forgetPrivateHosts } from '../features/registries/store.ts'
import { forgetOutagesBeyond } from '../features/servers/outages-store.ts'
import { forgetDeliveries } from '../features/webhooks/store.ts'
import type { Db } from '../store/database.ts'

const DAY_MS = 24 * 3600 * 1000
const KEPT = {
  eventsMs: 7 * DAY_MS,
  events: 100_000,
  deliveriesMs: 30 * DAY_MS,
  deliveriesOfAccount: 2000,
  builds: 10_000,
  outages: 200,
  hosts: 50_000,
  challengesMs: DAY_MS / 24,
}

/** Forgets what is old, and what is too much: everything that people and programs can add without end. */
export function createHousekeeping({ db, now }: { db: Db; now: () => Date }, kept = KEPT) {
  const ago = (ms: number) => new Date(now().getTime() - ms)

  return async function keepHouse(signal: AbortSignal): Promise<void> {
    const old = { before: ago(kept.eventsMs), most: kept.events, batch: 1000 }
    while (!signal.aborted) if ((await db.transaction(async (tx) => await forgetEvents(tx, old))) === 0) break
    await db.transaction(async (tx) => {
      await forgetDeliveries(tx, ago(kept.deliveriesMs), kept.deliveriesOfAccount)
      await forgetBuildTimesBeyond(tx, kept.builds)
      await forgetOutagesBeyond(tx, kept.outages)
      await forgetPrivateHosts(tx, kept.hosts)
      await forgetChallenges(tx, ago(kept.challengesMs))
      await forgetPlans(tx)
      await forgetLoginDelays(tx, ago(FORGET_AFTER_MS))
    })
    await createForgetAudit({ db, now })(signal)
  }
}
