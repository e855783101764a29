import { expect, it } from 'vitest'
import { runLoad } from './load.ts'

it('loses no request and no socket in twenty deploys and everything else that an operator does', { timeout: 1_200_000 }, async () => {
  const report = await runLoad({
    deploys: 20,
    rollbacks: 5,
    domainChanges: 20,
    certificateChanges: 5,
    kills: 3,
    updates: 3,
    slowMs: 5000,
    replicaRounds: 10,
  })
  console.log(JSON.stringify(report, null, 2))
  expect(report.failures).toEqual([])
  expect(report.requestsPerSecond).toBeGreaterThanOrEqual(200)
  for (const [name, { failed }] of Object.entries(report.counts)) expect(failed, name).toBe(0)
})
