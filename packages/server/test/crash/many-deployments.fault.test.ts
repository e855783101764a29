import { expect, it } from 'vitest'
import { manyDeployments } from './many-deployments.ts'

it('ends every deployment that was taken, in the order of its app, through two crashes', async () => {
  const many = await manyDeployments({ apps: 4, each: 3 })
  expect(many).toMatchObject({ ended: 12, statuses: ['success'], disorder: [], wrong: [] })
})
