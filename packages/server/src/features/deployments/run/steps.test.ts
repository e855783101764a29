import { expect, it } from 'vitest'
import { createSteps } from './stage-times.ts'
import { storedSteps } from './steps.ts'

function timed(stored = '[]') {
  const clock = { ms: 0 }
  const steps = createSteps(stored, { now: () => new Date(clock.ms), monotonicMs: () => clock.ms })
  const seen = () => storedSteps(steps.text()).map(({ name, seconds }) => [name, seconds])
  return { clock, steps, seen }
}

it('a step lasts until the next one begins, and the last one until the end', () => {
  const { clock, steps, seen } = timed()
  steps.begin('source')
  clock.ms = 1240
  steps.begin('build')
  expect(seen()).toEqual([
    ['source', 1.2],
    ['build', null],
  ])
  clock.ms = 3240
  steps.ended()
  expect(seen()).toEqual([
    ['source', 1.2],
    ['build', 2],
  ])
})

it('a step that is begun twice continues', () => {
  const { clock, steps, seen } = timed()
  steps.begin('start')
  clock.ms = 500
  steps.begin('start')
  clock.ms = 1000
  steps.ended()
  expect(seen()).toEqual([['start', 1]])
})

it('after a crash, finished steps are kept and the interrupted one starts again', () => {
  const first = timed()
  first.steps.begin('source')
  first.clock.ms = 2000
  first.steps.begin('build')
  const again = timed(first.steps.text())
  again.steps.begin('build')
  again.clock.ms = 700
  again.steps.ended()
  expect(again.seen()).toEqual([
    ['source', 2],
    ['build', 0.7],
  ])
})
