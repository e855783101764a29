import { describe, expect, it } from 'vitest'
import { parseAnsi, stripAnsi } from './ansi.ts'

const ESC = '\u001b'

describe('ANSI colours', () => {
  it('leaves a plain line as one span', () => {
    expect(parseAnsi('hello <b>world</b>')).toEqual([{ text: 'hello <b>world</b>' }])
  })

  it('colours, emboldens and resets', () => {
    expect(parseAnsi(`${ESC}[1;31mred${ESC}[0m plain ${ESC}[92mgreen${ESC}[39m end`)).toEqual([
      { text: 'red', bold: true, colour: 'red' },
      { text: ' plain ' },
      { text: 'green', colour: 'green' },
      { text: ' end' },
    ])
  })

  it('skips 256-colour and true-colour parameters instead of reading them as codes', () => {
    expect(parseAnsi(`${ESC}[38;5;31mx${ESC}[48;2;31;32;33my`)).toEqual([{ text: 'x' }, { text: 'y' }])
  })

  it('drops cursor movement, titles, links and stray escapes', () => {
    expect(stripAnsi(`${ESC}[2K${ESC}]0;title\u0007a${ESC}[1Ab${ESC}]8;;http://evil${ESC}\\c${ESC}`)).toBe('abc')
  })

  it('keeps only the last drawing of a line that was redrawn', () => {
    expect(stripAnsi('10 %\r50 %\r100 %\r')).toBe('100 %')
  })
})
