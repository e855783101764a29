import { DEPLOYMENT_STATUSES, type DeploymentStatus, STAGES } from '@berth/contract'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { canMove, isUnfinished, NEXT, PROGRESS, progressIn } from './lifecycle.ts'

it('every path from pending ends in a final state and never repeats a state', () => {
  fc.assert(
    fc.property(fc.infiniteStream(fc.nat()), (choices) => {
      let status: DeploymentStatus = 'pending'
      const seen: DeploymentStatus[] = [status]
      for (const choice of choices) {
        const next: readonly DeploymentStatus[] = NEXT[status]
        const to: DeploymentStatus | undefined = next[choice % Math.max(1, next.length)]
        if (to === undefined) break
        expect(canMove(status, to)).toBe(true)
        status = to
        seen.push(status)
      }
      expect(new Set(seen).size).toBe(seen.length)
      expect(['failed', 'stopped', 'rolled_back']).toContain(status)
    }),
  )
})

it('only a success can be rolled back, and nothing skips a state', () => {
  for (const from of DEPLOYMENT_STATUSES) expect(canMove(from, 'rolled_back')).toBe(from === 'success')
  expect(canMove('pending', 'success')).toBe(false)
  expect(canMove('pending', 'deploying')).toBe(false)
  expect(canMove('building', 'success')).toBe(false)
  for (const status of DEPLOYMENT_STATUSES) expect(canMove(status, status)).toBe(false)
})

it('every waiting or running deployment can be cancelled and can fail', () => {
  for (const status of DEPLOYMENT_STATUSES) {
    expect(canMove(status, 'stopped')).toBe(isUnfinished(status))
    expect(canMove(status, 'failed')).toBe(isUnfinished(status))
  }
})

it('progress never goes down, from cloning_repo over building_image, stopping_old and starting_new to completed', () => {
  expect(STAGES).toEqual(['cloning_repo', 'building_image', 'stopping_old', 'starting_new', 'completed'])
  let last = 0
  for (const stage of STAGES)
    for (const fraction of [-1, 0, 0.3, 1, 5]) {
      const progress = progressIn(stage, fraction)
      expect(progress).toBeGreaterThanOrEqual(last)
      last = progress
    }
  expect(last).toBe(100)
  expect(PROGRESS.building_image).toEqual({ from: 25, to: 70 })
})
