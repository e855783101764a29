import { expect, it } from 'vitest'
import { startPostgres } from '../../server/testing/harness/postgres-cluster.ts'
import { OWNER, startTestServer } from '../../server/testing/harness/start-test-server.ts'
import { createCli } from '../testing/run-cli.ts'

it('the control planes on a database are listed, and one that is running is not removed', async () => {
  await using postgres = await startPostgres()
  const env = { BERTH_DATABASE_URL: await postgres.createDatabase(), BERTH_NODE_NAME: 'alpha' }
  await using server = await startTestServer({ env })
  const { berth } = createCli()
  await berth(['login', server.baseUrl, '--email', OWNER.email], { input: OWNER.password })
  await expect.poll(async () => (await berth(['nodes'])).out, { timeout: 20_000 }).toMatch(/^alpha \(this one\) +running .* single loops$/m)
  expect(await berth(['nodes', 'remove', 'alpha', '--yes'])).toMatchObject({ code: 1, err: expect.stringContaining('(node_running)') })
  expect(await berth(['nodes', 'remove', 'beta', '--yes'])).toMatchObject({ code: 1, err: expect.stringContaining('(node_not_found)') })
  expect((await berth(['nodes', 'remove', 'No Name', '--yes'])).err).toContain('name must be the name of a node')
})
