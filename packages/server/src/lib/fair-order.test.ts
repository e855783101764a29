import { expect, it } from 'vitest'
import { fairOrder } from './fair-order.ts'

const order = (items: string[], { last = {}, lastOfOwner = {} }: Record<string, Record<string, number>> = {}) =>
  fairOrder(items, { owner: ([owner = '']) => owner, last: (item) => last[item] ?? 0, lastOfOwner: (owner) => lastOfOwner[owner] ?? 0 })

it('gives each owner one item before any gets a second', () => {
  expect(order(['a1', 'a2', 'a3', 'b1', 'c1', 'c2'])).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3'])
})

it('starts with the owner who has waited longest, and with the oldest item of that owner', () => {
  expect(order(['a1', 'b1', 'b2'], { last: { a1: 1, b1: 2, b2: 0 }, lastOfOwner: { a: 1, b: 2 } })).toEqual(['a1', 'b2', 'b1'])
})
