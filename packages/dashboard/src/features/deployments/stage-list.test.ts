import { describe, expect, it } from 'vitest'
import { markOf } from './stage-list.tsx'

describe('the stages of a deployment', () => {
  it('are done before the current one and not yet after it', () => {
    const running = { stage: 'building_image', status: 'building' } as const
    expect(markOf('cloning_repo', running)).toBe('done')
    expect(markOf('building_image', running)).toBe('now')
    expect(markOf('starting_new', running)).toBe('next')
  })

  it('show where a deployment failed or was cancelled', () => {
    expect(markOf('building_image', { stage: 'building_image', status: 'failed' })).toBe('failed')
    expect(markOf('cloning_repo', { stage: 'cloning_repo', status: 'stopped' })).toBe('cancelled')
  })

  it('are all done after success, and all open while it waits', () => {
    expect(markOf('completed', { stage: 'completed', status: 'success' })).toBe('done')
    expect(markOf('cloning_repo', { stage: '', status: 'pending' })).toBe('next')
  })
})
