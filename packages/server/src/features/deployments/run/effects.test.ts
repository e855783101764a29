import { expect, it } from 'vitest'
import { EngineError, EngineUnreachable } from '../../../engine/api/errors.ts'
import { createEffects } from './effects.ts'

function open(signal = new AbortController().signal) {
  const steps: string[] = []
  const said: string[] = []
  const effects = createEffects({
    signal,
    say: (line) => said.push(line),
    step: async (name, effect) => {
      steps.push(name)
      return await effect()
    },
  })
  return { ...effects, steps, said }
}

function failing(...causes: Error[]) {
  return async () => {
    const cause = causes.shift()
    if (cause) throw cause
    return 'done'
  }
}

const away = () => new EngineUnreachable('ECONNREFUSED')

it('an effect is one step, however often it is tried, and a person reads once that it waits', async () => {
  const { effect, steps, said } = open()
  expect(await effect('engine.start', failing(away(), away()))).toBe('done')
  expect(steps).toEqual(['engine.start'])
  expect(said).toEqual(['The container engine does not answer; waiting for it'])
})

it('a question is no step and is waited for in silence', async () => {
  const { ask, steps, said } = open()
  expect(await ask(failing(away()))).toBe('done')
  expect([steps, said]).toEqual([[], []])
})

it('what the engine refuses is not tried again', async () => {
  const { effect } = open()
  await expect(effect('engine.start', failing(new EngineError(409, 'taken'), away()))).rejects.toThrow('taken')
})

it('nothing is tried again after an abort, and another signal may be given', async () => {
  const aborted = AbortSignal.abort(new Error('cancelled'))
  const { effect } = open(aborted)
  await expect(effect('engine.start', failing(away()))).rejects.toThrow(EngineUnreachable)
  expect(await effect('engine.undo', failing(away()), new AbortController().signal)).toBe('done')
  expect(await effect('engine.undo', async (signal) => signal === aborted)).toBe(true)
})
