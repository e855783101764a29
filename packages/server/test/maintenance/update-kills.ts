import type { InstalledBerth } from '../../testing/harness/installed-berth.ts'
import { FAILS_HEALTH, type TestReleases } from '../../testing/harness/test-releases.ts'

export type Kill = {
  who: 'server' | 'supervisor'
  when: 'crash-before' | 'crash-after'
  /** The n-th step of the one that is killed. */
  at: number
  /** Whether the new version is a good one, or has to go again. */
  to: 'good' | 'bad'
}

/** downloading, checking, unpack, rehearsing, waiting, switching */
const SERVER_STEPS = 6
/** snapshot, watching, attempt, switch, then: succeeded; or: returning, restore, switch back, failed */
const SUPERVISOR_STEPS = { good: 5, bad: 8 } as const

export const ALL_KILLS: readonly Kill[] = (['crash-before', 'crash-after'] as const).flatMap((when) => [
  ...Array.from({ length: SERVER_STEPS }, (_, step) => ({ who: 'server', when, at: step + 1, to: 'good' }) as const),
  ...(['good', 'bad'] as const).flatMap((to) =>
    Array.from({ length: SUPERVISOR_STEPS[to] }, (_, step) => ({ who: 'supervisor', when, at: step + 1, to }) as const),
  ),
])

export function wordsOf({ who, when, at, to }: Kill): string {
  return `${who} ${when} step ${at}, ${to} version`
}

/** Updates to a version, kills as told, starts the supervisor again as a service manager would, and says what is there in the end. */
export async function updateKilled(
  berth: InstalledBerth,
  releases: TestReleases,
  kill: Kill,
  version: { number: string; migrations: number },
) {
  await releases.publish(version.number, { migrations: version.migrations, ...(kill.to === 'bad' && { first: FAILS_HEALTH }) })
  const name = kill.who === 'server' ? 'BERTH_TEST_FAULT' : 'BERTH_TEST_SUPERVISOR_FAULT'
  await berth.stop()
  await berth.start({ [name]: JSON.stringify({ kind: kill.when, at: kill.at, ms: 0 }) })
  const before = (await berth.health())?.version
  await berth.raw('POST', '/api/updates/apply', { cookie: berth.cookie() }).catch(() => undefined) // it may be killed before it answers
  if (kill.who === 'supervisor') {
    await berth.until(berth.hasEnded, 'the supervisor was killed')
    await berth.start()
  }
  const { state } = await berth.outcome()
  const running = (await berth.health())?.version
  const projects = await berth.call('projects.list')
  return {
    state,
    isOldOrNew: running === before || running === version.number,
    isLinked: running === (await berth.current()),
    isOnNew: running === version.number,
    isWhole: projects.some(({ name: found }) => found === 'Shop'),
  }
}

/** From the last step of the server on an update goes on by itself, and then only the version decides. */
export function wanted({ who, when, at, to }: Kill) {
  const isWithSupervisor = who === 'supervisor' || (at === SERVER_STEPS && when === 'crash-after')
  const isOnNew = to === 'good' && isWithSupervisor
  return { state: isOnNew ? 'succeeded' : 'failed', isOldOrNew: true, isLinked: true, isOnNew, isWhole: true }
}
