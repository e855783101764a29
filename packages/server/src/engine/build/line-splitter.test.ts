import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CUT_MARK, createLineSplitter } from './line-splitter.ts'

function split(chunks: readonly Buffer[], limit?: number): string[] {
  const splitter = createLineSplitter(limit)
  return [...chunks.flatMap((chunk) => splitter.push(chunk)), ...splitter.end()]
}

describe('a line splitter', () => {
  it('gives the same lines wherever the bytes are cut', () => {
    const text = fc.array(
      fc.string({ unit: 'grapheme', maxLength: 30 }).map((line) => line.replaceAll(/[\r\n]/g, '')),
      { maxLength: 20 },
    )
    fc.assert(
      fc.property(text, fc.array(fc.nat({ max: 400 })), (lines, cuts) => {
        const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''))
        const places = [0, ...cuts.filter((cut) => cut < bytes.length).toSorted((a, b) => a - b), bytes.length]
        const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end))
        expect(split(chunks)).toEqual(lines)
      }),
    )
  })

  it('cuts a long line with a mark and drops the rest of it', () => {
    expect(split([Buffer.from('aaaaaaaaaaaa'), Buffer.from('aaaa\nb\n')], 10)).toEqual([`aaaaaaaaaa${CUT_MARK}`, 'b'])
  })

  it('that cut a line inside a character begins the next one afresh', () => {
    const euros = Buffer.from('€€€\n€\n')
    expect(split([euros], 4)).toEqual([`€${CUT_MARK}`, '€'])
    expect(split([euros.subarray(0, 2), euros.subarray(2, 11), euros.subarray(11)], 4)).toEqual([`€${CUT_MARK}`, '€'])
  })

  it('keeps a last line without a line feed, and takes carriage returns away', () => {
    expect(split([Buffer.from('one\r\ntwo')])).toEqual(['one', 'two'])
  })

  it('turns bytes that are no text into replacement characters', () => {
    expect(split([Buffer.from([0x61, 0xff, 0x62, 0x0a])])).toEqual(['a\ufffdb'])
  })
})
