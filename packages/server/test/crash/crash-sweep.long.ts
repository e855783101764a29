import { describe, expect, it } from 'vitest'
import { SCENARIOS } from './crash-scenarios.ts'
import { sweep } from './crash-sweep.ts'

const KINDS = ['crash-before', 'crash-after'] as const
/** A point takes about twelve seconds of one server, and a scenario has up to fifty. */
const LABS = Number(process.env['SWEEP_LABS'] ?? 3)
/** Goes on with a sweep that was interrupted: with `-t` for its scenario and kind. */
const FROM = Number(process.env['SWEEP_FROM'] ?? 1)

describe('a process that dies at any side effect', () => {
  for (const scenario of Object.values(SCENARIOS)) {
    for (const kind of KINDS) {
      it(`recovers by itself: ${scenario.name}, ${kind}`, async () => {
        const swept = await sweep(scenario, { kind, from: FROM, labs: LABS, onPoint: (words) => process.stdout.write(`${words}\n`) })
        process.stdout.write(
          `${scenario.name}, ${kind}: ${swept.points} points, ${swept.failures.length} broken, ${swept.visits} visits of the neighbour answered\n`,
        )
        expect(swept.failures).toEqual([])
        expect(swept.points).toBeGreaterThan(0)
      })
    }
  }
})
