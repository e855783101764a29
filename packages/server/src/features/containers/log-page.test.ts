import { expect, it } from 'vitest'
import { merged, parseCursor, placed, type ServiceLine } from './log-cursor.ts'
import { type PageWanted, readPage } from './log-page.ts'

function at(second: number): string {
  return `2026-01-01T00:00:${String(second).padStart(2, '0')}.000000000Z`
}

async function* printed(...lines: (readonly [second: number, line: string])[]): AsyncGenerator<readonly ServiceLine[]> {
  for (const [second, line] of lines) yield [{ at: at(second), stream: 'stdout', line, service: '', replica: 1 }]
}

/** Four lines of which the middle two have the same time. */
const four = () => printed([1, 'one'], [2, 'two'], [2, 'three'], [3, 'four'])

async function page(wanted: PageWanted, lines = four()) {
  const { lines: found, first, total } = await readPage(placed(lines), wanted)
  return { lines: found.map(({ line }) => line), first, total }
}

it('gives the newest lines and how many there are', async () => {
  expect(await page({ limit: 2 })).toEqual({ lines: ['three', 'four'], first: 2, total: 4 })
})

it('goes backwards and forwards from a line without losing or repeating one of the same time', async () => {
  const [, two, three] = (await readPage(placed(four()), { limit: 4 })).lines.map(({ id }) => parseCursor(id))
  if (!two || !three) throw new Error('there are four lines')
  expect(await page({ limit: 2, before: three })).toEqual({ lines: ['one', 'two'], first: 0, total: 4 })
  expect(await page({ limit: 1, before: three })).toEqual({ lines: ['two'], first: 1, total: 4 })
  expect(await page({ limit: 2, before: two })).toEqual({ lines: ['one'], first: 0, total: 4 })
  expect(await page({ limit: 1, after: two })).toEqual({ lines: ['three'], first: 2, total: 4 })
  expect(await page({ limit: 2, around: three })).toEqual({ lines: ['two', 'three'], first: 1, total: 4 })
})

it('accepts a time as a position, with or without a fraction', async () => {
  expect(await page({ limit: 9, before: parseCursor('2026-01-01T00:00:02Z') })).toMatchObject({ lines: ['one'] })
  expect(await page({ limit: 9, after: parseCursor('2026-01-01T00:00:02.5Z') })).toMatchObject({ lines: ['four'], first: 3 })
})

it('keeps no more than fits into a response, even if the lines are long', async () => {
  const long = 'x'.repeat(1024 * 1024)
  const many = () => printed([1, long], [2, long], [3, long], [4, long])
  expect(await page({ limit: 4 }, many())).toMatchObject({ first: 2, total: 4 })
  const after = await page({ limit: 4, after: parseCursor(at(0)) }, many())
  expect(after.lines).toHaveLength(2)
})

it('puts the logs of several containers together by time', async () => {
  const lines = merged([printed([1, 'a'], [4, 'd']), printed([2, 'b'], [3, 'c'], [5, 'e']), printed()])
  expect((await page({ limit: 9 }, lines)).lines).toEqual(['a', 'b', 'c', 'd', 'e'])
})
