import type { Deployment } from '@berth/contract'
import { expect, it } from 'vitest'
import { stagesOf } from './stages.ts'

type Given = Pick<Deployment, 'stage' | 'status' | 'steps' | 'trigger'>
const AT = '2026-01-02T03:04:05.000Z'
const marks = (given: Given, isDatabase = false) => stagesOf(given, isDatabase).map(({ name, mark }) => `${name}: ${mark}`)

it('shows the steps in the order in which they happen, with their times', () => {
  const steps: Deployment['steps'] = [
    { name: 'source', started_at: AT, seconds: 1.2 },
    { name: 'build', started_at: AT, seconds: null },
  ]
  const shown = stagesOf({ stage: 'building_image', status: 'building', trigger: 'manual', steps }, false)
  expect(shown.map(({ name, mark, seconds }) => [name, mark, seconds])).toEqual([
    ['Source', 'done', 1.2],
    ['Build', 'now', undefined],
    ['Start', 'next', undefined],
    ['Health check', 'next', undefined],
    ['Switch traffic', 'next', undefined],
    ['Live', 'next', undefined],
  ])
})

it('a rollback has no source and no build, and a database no source and no traffic to switch', () => {
  expect(marks({ stage: 'completed', status: 'success', trigger: 'rollback', steps: [] })).toEqual([
    'Start: done',
    'Health check: done',
    'Switch traffic: done',
    'Live: done',
  ])
  expect(marks({ stage: '', status: 'pending', trigger: 'manual', steps: [] }, true)).toEqual([
    'Pull image: next',
    'Start: next',
    'Health check: next',
    'Live: next',
  ])
})

it('a failure is shown where it happened, also without recorded steps', () => {
  expect(marks({ stage: 'building_image', status: 'failed', trigger: 'manual' }).slice(0, 3)).toEqual([
    'Source: done',
    'Build: failed',
    'Start: next',
  ])
  expect(marks({ stage: 'cloning_repo', status: 'stopped', trigger: 'manual' })[0]).toBe('Source: cancelled')
})
