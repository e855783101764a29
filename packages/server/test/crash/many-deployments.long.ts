import { expect, it } from 'vitest'
import { manyDeployments, percentile } from './many-deployments.ts'

it('ends 100 deployments over 20 apps, in the order of each app, through two crashes', async () => {
  const many = await manyDeployments({ apps: 20, each: 5 })
  const [add, health] = [percentile(many.addMs, 0.99), percentile(many.healthMs, 0.99)]
  process.stdout.write(`100 deployments in ${Math.round(many.seconds)} s; add p99 ${add} ms, health p99 ${health} ms\n`)
  expect(many).toMatchObject({ ended: 100, statuses: ['success'], disorder: [], wrong: [] })
})
