import { expect, it } from 'vitest'
import { startTestEdge } from '../../testing/harness/test-edge.ts'

const NO_APPS = { apps: [] }

it('the edge of one of several nodes is not started before its routes are known and its node was heard of', async () => {
  let isHeardOf = true
  await using test = await startTestEdge({ mayStart: () => isHeardOf })
  const { edge } = test
  await expect(edge.repair()).rejects.toThrow('knows the routes')
  expect(await edge.isServing()).toBe(false)
  isHeardOf = false
  await expect(edge.setRoutes(NO_APPS)).rejects.toThrow('heard of by the others')
  expect(await edge.isServing()).toBe(false)
  isHeardOf = true
  await edge.repair()
  expect(await edge.isServing()).toBe(true)
})

it('an edge that runs is kept meanwhile, and one that was stopped does not come back by itself', async () => {
  let isHeardOf = true
  await using test = await startTestEdge({ mayStart: () => isHeardOf, repairEveryMs: 100 })
  await test.edge.setRoutes(NO_APPS)
  isHeardOf = false
  const again = test.reopen()
  await again.repair() // with unknown routes, as after a start of the control plane
  await test.edge.repair()
  expect(await again.isServing()).toBe(true)
  await test.process.stop('SIGKILL')
  await expect(test.edge.repair()).rejects.toThrow('heard of by the others')
  await expect(again.repair()).rejects.toThrow('knows the routes')
  expect(await again.isServing()).toBe(false)
})
