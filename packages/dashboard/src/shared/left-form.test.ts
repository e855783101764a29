// @vitest-environment happy-dom
import { afterEach, expect, it, vi } from 'vitest'
import { forgetForm, keepForm, keptForm, leftPath } from './left-form.ts'

const EMPTY = { name: '', port: '3000' }
afterEach(() => {
  sessionStorage.clear()
  vi.useRealTimers()
})

it('gives back what was typed on a page, once it is open again', () => {
  expect([leftPath(), keptForm('/projects/1/new', EMPTY)]).toEqual([undefined, undefined])
  keepForm('/projects/1/new', { name: 'shop', port: 80, unknown: 'x' })
  expect(leftPath()).toBe('/projects/1/new')
  expect(keptForm('/projects/2/new', EMPTY)).toBe(undefined)
  expect(keptForm('/projects/1/new', EMPTY)).toEqual({ name: 'shop', port: '3000' }) // of another type, and unknown: left out
  forgetForm()
  expect(leftPath()).toBe(undefined)
})

it('keeps nothing for longer than the way takes, and survives what it did not write', () => {
  vi.useFakeTimers()
  keepForm('/projects/1/new', { name: 'shop' })
  vi.advanceTimersByTime(16 * 60_000)
  expect(leftPath()).toBe(undefined)
  for (const text of ['', '{', '[]', '7', '{"path":1}', '{"path":"/x","at":"soon","values":{}}']) {
    sessionStorage.setItem('berth.left-form', text)
    expect(leftPath()).toBe(undefined)
  }
})
