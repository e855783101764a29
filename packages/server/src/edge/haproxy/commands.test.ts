import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type MapEntry, mapChanges, mapCommands, parseCertificateList, parseMap } from './commands.ts'

const NONE = new Set<string>()

describe('the changes of a map', () => {
  it('turn any map into any other, and an equal one into nothing', () => {
    const key = fc.constantFrom('a', 'b', 'c', 'd', 'e')
    const rows = fc.array(fc.tuple(key, fc.constantFrom('1', '2', '3')), { maxLength: 8 })
    fc.assert(
      fc.property(rows, fc.dictionary(key, fc.constantFrom('1', '2', '3')), (have, want) => {
        const actual = have.map(([name, value], index): MapEntry => ({ ref: `0x${index}`, key: name, value }))
        const wanted = new Map(Object.entries(want))
        const after = play(actual, mapChanges(actual, wanted, NONE))
        expect(new Map(after.map((entry) => [entry.key, entry.value]))).toEqual(wanted)
        expect(after).toHaveLength(wanted.size)
        expect(mapChanges(after, wanted, NONE)).toEqual([])
      }),
    )
  })

  it('leave alone what is to be kept', () => {
    expect(mapChanges([{ ref: '0x1', key: '@x', value: '1' }], new Map(), new Set(['@x']))).toEqual([])
  })
})

function play(entries: MapEntry[], changes: ReturnType<typeof mapChanges>): MapEntry[] {
  let now = entries
  for (const change of changes) {
    if (change.kind === 'add') now = [...now, { ref: `0xn${now.length}${change.key}`, key: change.key, value: change.value }]
    else if (change.kind === 'set') now = now.map((entry) => (entry.key === change.key ? { ...entry, value: change.value } : entry))
    else now = now.filter((entry) => entry.key !== change.key && `#${entry.ref}` !== change.key)
  }
  return now
}

it('many changes travel in few commands that each fit a buffer', () => {
  const changes = Array.from({ length: 1000 }, (_, n) => ({ kind: 'add' as const, key: `host-${n}.test`, value: `a${n}|` }))
  const commands = mapCommands('/m', [...changes, { kind: 'set', key: 'x', value: '1' }, { kind: 'del', key: 'y' }])
  expect(commands.length).toBeLessThan(6)
  expect(commands.every((command) => command.length < 8_200)).toBe(true)
  expect(commands.at(-1)).toBe('set map /m x 1;del map /m y')
})

it('what HAProxy prints is read line by line', () => {
  expect(parseMap('0x1 a.test a1|rs\n0x2 b.test a2|\n\n')).toEqual([
    { ref: '0x1', key: 'a.test', value: 'a1|rs' },
    { ref: '0x2', key: 'b.test', value: 'a2|' },
  ])
  expect(parseCertificateList('# /c/list.txt\n/c/a.pem:1 a.test\n/c/b.pem:12 [alpn h2] b.test\n\n')).toEqual([
    { path: '/c/a.pem', line: 1, host: 'a.test' },
    { path: '/c/b.pem', line: 12, host: 'b.test' },
  ])
})
