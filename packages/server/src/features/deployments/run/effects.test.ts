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

it('an effect is one step, even if it is retried, and the log says once that it waits', async () => {
  const { effect, steps, said } = open()
  expect(await effect('engine.start', failing(away(), away()))).toBe('done')
  expect(steps).toEqual(['engine.start'])
  expect(said).toEqual(['The container engine is not responding; waiting for it'])
})

it('a read is not a step, and waits without a log line', async () => {
  const { ask, steps, said } = open()
  expect(await ask(failing(away()))).toBe('done')
  expect([steps, said]).toEqual([[], []])
})

it('an error of the engine is not retried', async () => {
  const { effect } = open()
  await expect(effect('engine.start', failing(new EngineError(409, 'taken'), away()))).rejects.toThrow('taken')
})

it('nothing is retried after an abort, and another signal can be passed', async () => {
  const aborted = AbortSignal.abort(new Error('cancelled'))
  const { effect } = open(aborted)
  await expect(effect('engine.start', failing(away()))).rejects.toThrow(EngineUnreachable)
  expect(await effect('engine.undo', failing(away()), new AbortController().signal)).toBe('done')
  expect(await effect('engine.undo', async (signal) => signal === aborted)).toBe(true)
})
