import { expect, it } from 'vitest'
import { allPages, inPath } from './answers.ts'

const numbers = (body: unknown) => body as number[] // made below

function hostWith(perPage: number, lastAt = Number.POSITIVE_INFINITY) {
  const pages: unknown[] = []
  const ask = async ({ query }: { query?: Readonly<Record<string, string | number>> }) => {
    pages.push(query?.['page'])
    return { headers: {}, body: Array.from({ length: perPage }, (_, n) => n), isLast: pages.length >= lastAt }
  }
  return { ask, pages }
}

it('a list that never ends is read up to 5000 entries', async () => {
  const { ask, pages } = hostWith(100)
  expect(await allPages(ask, { path: '/x' }, { perPage: 100, items: numbers })).toHaveLength(5000)
  expect(pages).toHaveLength(50)
})

it('a page with more than was asked for is refused', async () => {
  const { ask } = hostWith(101)
  await expect(allPages(ask, { path: '/x' }, { perPage: 100, items: numbers })).rejects.toThrow('101 entries per page')
})

it('a list ends when the visit has reached its limit', async () => {
  const { ask } = hostWith(100, 3)
  expect(await allPages(ask, { path: '/x' }, { perPage: 100, items: numbers })).toHaveLength(300)
})

it('a name that would lead to another endpoint is refused in a path', () => {
  expect(inPath('group/sub.group/shop')).toBe('group/sub.group/shop')
  for (const name of ['../user', 'ann/..', './shop', 'ann']) expect(() => inPath(name)).toThrow('owner/repository')
})
