import { setTimeout as sleep } from 'node:timers/promises'
import { TUNING } from '../../src/lib/tuning.ts'
import { openDeployLab, until, webFiles } from '../../testing/labs/deploy-lab.ts'
import { violations } from './crash-sweep.ts'

type Finished = { app_id: number; number: number; status: string; started_at: string; finished_at: string }
export type Many = {
  ended: number
  statuses: string[]
  disorder: string[]
  wrong: string[]
  addMs: number[]
  healthMs: number[]
  seconds: number
}

/** Many deployments of some apps, with the process killed twice in between. All accepted ones must be done, and in order. */
export async function manyDeployments(options: { apps: number; each: number }): Promise<Many> {
  const total = options.apps * options.each
  const { resolveAtAddMs } = TUNING // the production value: the duration of `add` is part of the result
  const tuning = { stabilityMs: 200, drainMs: 100, stopGraceSeconds: 0, resolveAtAddMs }
  await using lab = await openDeployLab({ runs: 'as a process', tuning })
  const apps = await Promise.all(Array.from({ length: options.apps }, async (_, index) => await lab.createApp(webFiles(`app ${index}`))))
  const [addMs, healthMs]: [number[], number[]] = [[], []]
  let isDone = false
  let isAway = false
  const watching = (async () => {
    while (!isDone) {
      const from = performance.now()
      if (!isAway)
        await lab.berth
          .raw('GET', '/health')
          .then(() => healthMs.push(performance.now() - from))
          .catch(() => undefined)
      await sleep(100)
    }
  })()
  const from = performance.now()
  for (let round = 0; round < options.each; round += 1) {
    await Promise.all(
      apps.map(async (app) => {
        const asked = performance.now()
        await lab.add(app.id)
        addMs.push(performance.now() - asked)
      }),
    )
  }
  const ended = () =>
    lab.rows<Finished>("select * from deployment where status not in ('pending', 'building', 'deploying') order by app_id, number")
  for (const share of [0.25, 0.6]) {
    await until(ended, (rows) => rows.length >= total * share, 1_200_000)
    isAway = true
    await lab.berth.kill9()
    await lab.berth.startAgain()
    isAway = false
  }
  await until(ended, (rows) => rows.length >= total, 1_800_000)
  const seconds = (performance.now() - from) / 1000
  const wrong = await until(
    async () => await violations(lab),
    (list) => list.length === 0,
  ).catch((cause: unknown) => [String(cause)])
  isDone = true
  await watching
  const rows = ended()
  const disorder = rows.flatMap((row, index) => {
    const before = rows[index - 1]
    return before?.app_id === row.app_id && (row.number !== before.number + 1 || row.started_at < before.finished_at)
      ? [`app ${row.app_id}: ${row.number} after ${before.number}`]
      : []
  })
  return { ended: rows.length, statuses: [...new Set(rows.map(({ status }) => status))], disorder, wrong, addMs, healthMs, seconds }
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0)
}
