import { afterAll, beforeAll } from 'vitest'
import { openPlacedLab } from '../../testing/labs/placed-lab.ts'

export type Lab = Awaited<ReturnType<typeof openPlacedLab>>

/** One for all tests of a file, with those that it imports: to open it takes longer than most tests. */
export let lab: Lab
beforeAll(async () => {
  lab = await openPlacedLab({ nodes: 3 })
}, 180_000)
afterAll(async () => await lab[Symbol.asyncDispose](), 60_000)
