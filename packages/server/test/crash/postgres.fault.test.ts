import { expect, it } from 'vitest'
import { startPostgres } from '../../testing/harness/postgres-cluster.ts'
import { redeploy } from './crash-scenarios.ts'
import { sweep } from './crash-sweep.ts'

it('on PostgreSQL too, a server that dies in a redeploy leaves nothing half done', async () => {
  await using postgres = await startPostgres()
  const createDatabase = async () => await postgres.createDatabase()
  const swept = await sweep(redeploy, { kind: 'crash-before', from: 6, stride: 10, most: 16, createDatabase })
  expect(swept.failures).toEqual([])
  expect(swept.points).toBe(2)
})

it('on PostgreSQL too, a server that dies at any second side effect of a redeploy leaves nothing half done', { tags: 'long' }, async () => {
  await using postgres = await startPostgres()
  const createDatabase = async () => await postgres.createDatabase()
  for (const kind of ['crash-before', 'crash-after'] as const) {
    const swept = await sweep(redeploy, { kind, stride: 2, labs: 2, createDatabase })
    expect(swept.failures).toEqual([])
    expect(swept.points).toBeGreaterThanOrEqual(10)
  }
})
