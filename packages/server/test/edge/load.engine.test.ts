import { expect, it } from 'vitest'
import { runLoad } from './load.ts'

it('loses no request and no socket while an app is deployed, rolled back, renamed and scaled, a replica of it and the control plane are killed, and Berth is updated', {
  timeout: 240_000,
}, async () => {
  const report = await runLoad({
    deploys: 2,
    rollbacks: 1,
    domainChanges: 4,
    certificateChanges: 1,
    kills: 1,
    updates: 1,
    slowMs: 2000,
    replicaRounds: 1,
  })
  console.log(JSON.stringify(report))
  expect(report.failures).toEqual([])
  for (const [name, { finished, failed }] of Object.entries(report.counts)) {
    expect(failed, name).toBe(0)
    expect(finished, name).toBeGreaterThan(0)
  }
  expect(report.counts['GET']?.versions).toEqual(expect.arrayContaining(['1', 'deploy-1', 'deploy-2', 'replicas-1']))
})
