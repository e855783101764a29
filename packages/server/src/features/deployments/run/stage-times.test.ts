import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { TUNING } from '../../../lib/tuning.ts'
import { createStageLimits } from './stage-times.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

const MINUTE = 60_000

function open() {
  const ended: string[] = []
  const limits = createStageLimits({ tuning: TUNING, end: (why) => ended.push(why.message) })
  return { limits, ended }
}

describe('the limits of a stage', () => {
  it('end a build without output, with advice', () => {
    const { limits, ended } = open()
    limits.enter('building_image', 'building_image')
    vi.advanceTimersByTime(20 * MINUTE - 1)
    expect(ended).toEqual([])
    vi.advanceTimersByTime(1)
    expect(ended).toEqual([
      'The build printed nothing for 20 minutes and was stopped. If a step takes that long, make it print something from time to time.',
    ])
  })

  it('let a build continue that is active now and then, up to its deadline', () => {
    const { limits, ended } = open()
    limits.enter('building_image', 'building_image')
    for (let minute = 19; minute < 60; minute += 19) {
      vi.advanceTimersByTime(19 * MINUTE)
      limits.active()
    }
    expect(ended).toEqual([])
    vi.advanceTimersByTime(3 * MINUTE)
    expect(ended).toEqual(['building_image took longer than 60 minutes and was stopped.'])
  })

  it('count from the last activity, not from a fixed beat', () => {
    const { limits, ended } = open()
    limits.enter('building_image', 'building_image')
    vi.advanceTimersByTime(MINUTE)
    limits.active()
    vi.advanceTimersByTime(20 * MINUTE - 1)
    expect(ended).toEqual([])
    vi.advanceTimersByTime(1)
    expect(ended).toHaveLength(1)
  })

  it('end a clone that receives nothing', () => {
    const { limits, ended } = open()
    limits.enter('cloning_repo', 'cloning_repo')
    vi.advanceTimersByTime(5 * MINUTE)
    expect(ended).toEqual(['The git server sent nothing for 5 minutes, so cloning was stopped. Check that it works, then deploy again.'])
  })

  it('restart with each stage, and end when they are stopped', () => {
    const { limits, ended } = open()
    limits.enter('cloning_repo', 'cloning_repo')
    vi.advanceTimersByTime(4 * MINUTE)
    limits.enter('building_image', 'building_image')
    vi.advanceTimersByTime(19 * MINUTE)
    limits.enter('starting_new', 'starting_new') // health checks and draining have their own limits
    vi.advanceTimersByTime(9 * MINUTE)
    limits.stop()
    vi.advanceTimersByTime(600 * MINUTE)
    expect(ended).toEqual([])
  })
})
