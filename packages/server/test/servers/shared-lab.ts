import { afterAll, beforeAll } from 'vitest'
import { openPlacedLab } from '../../testing/labs/placed-lab.ts'

export type Lab = Awaited<ReturnType<typeof openPlacedLab>>

/** One for all that `placed.engine.test.ts` runs: to open it takes longer than most of its tests. Who uses it leaves no app behind. */
export let lab: Lab
beforeAll(async () => {
  lab = await openPlacedLab({ nodes: 3 })
}, 180_000)
afterAll(async () => await lab[Symbol.asyncDispose](), 60_000)
