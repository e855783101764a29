import { expect, it } from 'vitest'
import { type EarlierPush, isContinuedIn, isOlderThan } from './push-order.ts'

type Delivered = EarlierPush & { isLate: boolean }

const push = (before: string, after: string, more: Partial<Delivered> = {}): Delivered => ({
  before,
  after,
  pushedAt: '',
  isLate: false,
  ...more,
})
/** `earlier` with the newest first. */
const isLatePush = (late: Delivered, earlier: readonly Delivered[]) =>
  isOlderThan(
    earlier.find(({ isLate }) => !isLate),
    late,
  ) ?? isContinuedIn(earlier, late)

it('the first push, the next one and one after a gap are in order', () => {
  expect(isLatePush(push('a', 'b'), [])).toBe(false)
  expect(isLatePush(push('b', 'c'), [push('a', 'b')])).toBe(false)
  expect(isLatePush(push('c', 'd'), [push('a', 'b')])).toBe(false)
})

it('a push is late if another push already replaced its commit', () => {
  expect(isLatePush(push('a', 'b'), [push('b', 'c')])).toBe(true)
  expect(isLatePush(push('a', 'b'), [push('b', 'c', { isLate: true }), push('c', 'd')])).toBe(true)
})

it('a push that leads back to an old commit is not late', () => {
  expect(isLatePush(push('c', 'b'), [push('b', 'c'), push('a', 'b')])).toBe(false)
})

it('the time of the push decides if the host reports it, and the order of arrival within the same second', () => {
  const at = (second: number) => ({ pushedAt: `2026-01-01T00:00:0${second}.000Z` })
  expect(isLatePush(push('x', 'y', at(1)), [push('p', 'q', at(2))])).toBe(true)
  expect(isLatePush(push('b', 'c', at(3)), [push('c', 'b', at(2)), push('b', 'c', at(1))])).toBe(false)
  expect(isLatePush(push('a', 'b', at(2)), [push('b', 'c', at(2))])).toBe(true)
  expect(isLatePush(push('b', 'c', at(2)), [push('a', 'b', at(2))])).toBe(false)
})
