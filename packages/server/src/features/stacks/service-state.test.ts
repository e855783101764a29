import { expect, it } from 'vitest'
import { stateOf, worstOf } from './service-state.ts'

const RUNNING = { state: 'running', exitCode: null as number | null, oomKilled: false, health: '', healthOutput: '' }
const known = { isStopped: false, runsToItsEnd: false }
const wordOf = (details: Partial<typeof RUNNING>, more = {}) => stateOf({ ...known, details: { ...RUNNING, ...details }, ...more })

it('gives the state of a service in one word, and why it is not running', () => {
  expect(wordOf({})).toEqual({ state: 'running', reason: '' })
  expect(wordOf({ health: 'starting' }).state).toBe('starting')
  expect(wordOf({ health: 'unhealthy', healthOutput: 'refused' })).toEqual({
    state: 'unhealthy',
    reason: 'Its health check fails: refused',
  })
  expect(wordOf({ state: 'restarting', exitCode: 3 })).toMatchObject({ state: 'restarting', reason: expect.stringContaining('code 3') })
  expect(wordOf({ state: 'exited', exitCode: 0 }).state).toBe('finished')
  expect(wordOf({ state: 'exited', exitCode: 1 })).toEqual({ state: 'failed', reason: 'It exited with code 1' })
  expect(wordOf({ state: 'exited', exitCode: 137, oomKilled: true }).reason).toContain('memory')
  expect(wordOf({ state: 'dead', exitCode: 1 })).toEqual({ state: 'failed', reason: 'Its container is dead.' })
})

it('a stopped service is not a failure, and one without a container is missing unless it has completed', () => {
  expect(wordOf({ state: 'exited', exitCode: 143 }, { isStopped: true })).toEqual({ state: 'stopped', reason: '' })
  expect(stateOf({ ...known, details: undefined }).state).toBe('missing')
  expect(stateOf({ ...known, details: undefined, isStopped: true }).state).toBe('stopped')
  expect(stateOf({ ...known, details: undefined, runsToItsEnd: true }).state).toBe('finished')
})

it('a service with several containers is as well as the one that is worst off', () => {
  const [failed, unhealthy] = [
    { ...RUNNING, state: 'exited', exitCode: 1 },
    { ...RUNNING, health: 'unhealthy' },
  ]
  expect(worstOf([RUNNING, unhealthy, failed], known)).toMatchObject({ details: failed, state: 'failed' })
  expect(worstOf([RUNNING, unhealthy], known)).toMatchObject({ details: unhealthy, state: 'unhealthy' })
  expect(worstOf([RUNNING, RUNNING], known).state).toBe('running')
})
