import { expect, it } from 'vitest'
import type { ContainerDetails } from '../../../../engine/container-state.ts'
import { nothingResponds } from './probes.ts'
import { factsOf, whyUnhealthy } from './why-unhealthy.ts'

function reasonAfter(lastLines: readonly string[], exitCode = 1): string {
  const details = { state: 'exited', exitCode, oomKilled: false, restartCount: 3 } as ContainerDetails // what an ended container is judged by
  return whyUnhealthy({ details, lastLines, listening: null, port: 3000, healthcheckPath: '', reason: '' })
}

it('output that a container repeats at each start is shown once', () => {
  const once = 'The container exited with code 1: no DATABASE_URL'
  expect(reasonAfter(['no DATABASE_URL', 'no DATABASE_URL', '', 'no DATABASE_URL'])).toBe(once)
})

it('the line with the reason is shown instead of the last one', () => {
  const told = reasonAfter(['Error: no database', '  at line 3', 'Error: no database', '  at line 3', 'Node.js v24.1.0'])
  expect(told).toBe('The container exited with code 1: Error: no database')
})

it('if no line gives a reason, the last five distinct lines are shown', () => {
  expect(reasonAfter(['1', '2', '3', '4', '5', '6'])).toMatch(/ Last output: 2 \| 3 \| 4 \| 5 \| 6$/)
  expect(reasonAfter([])).toMatch(/ It printed nothing\.$/)
})

it('one that was killed has most likely run out of memory, also if the engine did not notice', () => {
  expect(reasonAfter(['loading …'], 137)).toMatch(
    /^The container was killed \(exit code 137\), .* ran out of memory\. .*Memory limit\. Last output: loading …$/,
  )
})

it('a container that listens on another port is told by it, and offers it', () => {
  const details = { state: 'running', exitCode: null, oomKilled: false, restartCount: 0 } as ContainerDetails // as above
  const listening = [{ port: 9999, loopbackOnly: false }]
  const seen = { details, lastLines: [], listening, port: 3000, healthcheckPath: '', reason: nothingResponds(3000) }
  expect(whyUnhealthy(seen)).toMatch(/^Nothing listens on port 3000\. It listens on 9999: set that under Settings → Port/)
  expect(factsOf(seen, {})).toEqual({ kind: 'other_ports', ports: [9999] })
})
