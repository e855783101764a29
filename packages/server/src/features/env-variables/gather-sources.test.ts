import { expect, it } from 'vitest'
import { gatherSources, type OpenSource } from './gather-sources.ts'

type Values = Record<string, string>

/** A project whose reads are counted. */
function projectOf(apps: Record<string, Values>) {
  const read: string[] = []
  const open = async (name: string): Promise<OpenSource | undefined> => {
    const values = apps[name]
    if (!values) return undefined
    const pick = (keys: readonly string[]) => new Map(Object.entries(values).filter(([key]) => keys.includes(key)))
    return {
      behind: (names) => names,
      read: async (keys) => {
        read.push(...keys.map((key) => `${name}.${key}`))
        return pick(keys)
      },
    }
  }
  return { read, gather: async (from: Values) => await gatherSources(new Map(Object.entries(from)), open) }
}

it('only the referenced variables of each app are read, once', async () => {
  const unused = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`V${n}`, '${{c.X}}']))
  const { read, gather } = projectOf({ a: { ...unused, X: '${{b.Y}} ${{a.X}}' }, b: { ...unused, Y: '${{a.X}}' }, c: unused })
  const sources = await gather({ ONE: '${{a.X}}', TWO: '${{a.X}} ${{a.GONE}} ${{gone.Z}}' })
  expect(read).toEqual(['a.X', 'a.GONE', 'b.Y'])
  expect([...sources.keys()]).toEqual(['a', 'b'])
  expect(sources.get('a')?.variables).toEqual(new Map([['X', '${{b.Y}} ${{a.X}}']]))
})

it('more apps, variables or text than anybody needs are refused', async () => {
  const apps = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`a${n}`, { X: 'x' }]))
  const all = Object.keys(apps).map((name) => `\${{${name}.X}}`)
  expect((await projectOf(apps).gather({ A: all.slice(0, 50).join('') })).size).toBe(50)
  await expect(projectOf(apps).gather({ A: all.join('') })).rejects.toThrow('to more than 50 apps')
  const names = Array.from({ length: 2001 }, (_, n) => `\${{a1.N${n}}}`).join('')
  await expect(projectOf(apps).gather({ A: names })).rejects.toThrow('to more than 2000 variables')
  const big = projectOf({ a: { X: 'x'.repeat(600_000), Y: 'y'.repeat(600_000) } })
  await expect(big.gather({ A: '${{a.X}}${{a.Y}}' })).rejects.toThrow('longer than an environment can be')
})

it('a chain is read as far as it is followed', async () => {
  const chain = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`V${n}`, `\${{a.V${n + 1}}}`]))
  const { read, gather } = projectOf({ a: chain })
  await gather({ A: '${{a.V0}}' })
  expect(read).toHaveLength(50)
})
