import { expect, it } from 'vitest'
import { openLabOnSmallDisk, runOnFullDisk } from '../../testing/harness/full-disk.ts'
import { percentile } from './many-deployments.ts'

const MEGABYTE = 1024 * 1024

it('20 queued deployments survive ten minutes of a full disk, and all continue once there is space', async (context) => {
  const opened = await openLabOnSmallDisk()
  if (opened.unavailable !== undefined) return context.skip(opened.unavailable)
  await using small = opened
  const seen = await runOnFullDisk(small, { seconds: 600, apps: 3, queued: 20, askEveryMs: 1000 })
  const [p50, p99, most] = [0.5, 0.99, 1].map((share) => percentile(seen.healthMs, share))
  process.stdout.write(
    `full for ${Math.round(seen.fullSeconds)} s: /health ${seen.healthMs.length} times, p50 ${p50} ms, p99 ${p99} ms, most ${most} ms; ` +
      `log ${seen.logBytes} bytes; processor ${seen.cpuSeconds.toFixed(1)} s; all had ended ${Math.round(seen.goesOnSeconds)} s after there was room\n`,
  )
  expect(seen.silent).toBe(0)
  expect(seen.logBytes).toBeLessThan(MEGABYTE)
  expect(seen.cpuSeconds).toBeLessThan(seen.fullSeconds / 10)
  expect(seen.statuses).toEqual(Array.from({ length: 20 }, () => 'success'))
  expect(seen.mostAttempts).toBeLessThanOrEqual(2)
})
