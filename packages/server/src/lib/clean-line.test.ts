import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cleanLine } from './clean-line.ts'

describe('a clean line', () => {
  it.each([
    ['plain text', 'plain text'],
    ['a\tb', 'a\tb'],
    ['\u001b[31mred\u001b[0m', '\u001b[31mred\u001b[0m'],
    ['\u001b[38;5;196mred\u001b[m', '\u001b[38;5;196mred\u001b[m'],
    ['\u001b[123456mno colour', 'no colour'],
    ['\u001b[2Jcleared', 'cleared'],
    ['\u001b[?25lhidden cursor', 'hidden cursor'],
    ['\u001b[>1ukeyboard\u001b[1 qcursor', 'keyboardcursor'],
    ['\u001b[38:2::1:2:3mother colours', 'other colours'],
    ['\u001b(Bcharacter set\u001b7\u001b8', 'character set'],
    ['\u001b]8;;https://evil.example\u0007link\u001b]8;;\u0007', 'link'],
    ['\u001b]0;title\u001b\\text', 'text'],
    ['\u001bP1$r0m\u001b\\device', 'device'],
    ['\u001b_program\u001b\\text', 'text'],
    ['\u009b31mone byte\u009d0;title\u009ctext', 'one bytetext'],
    ['\u001b\u0000[\u00003\u00001msplit by NUL', 'split by NUL'],
    ['50%\r100%', '50%100%'],
    ['nul\u0000byte', 'nulbyte'],
    ['line\u2028separator', 'lineseparator'],
    ['\u202etxet\u202c \u2066a\u2069', 'txet a'],
    ['tag\u{e0041}ged', 'tagged'],
    ['half\u001b', 'half'],
    ['<script>alert(1)</script>', '<script>alert(1)</script>'],
    ['emoji 👩‍🚀 and سلام stay', 'emoji 👩‍🚀 and سلام stay'],
  ])('%j becomes %j', (text, line) => expect(cleanLine(text)).toBe(line))

  it('is cut when it never ends, and says so', () => {
    const line = cleanLine('x'.repeat(1_000_000))
    expect(line.length).toBeLessThan(17_000)
    expect(line).toMatch(/… \[line cut\]$/)
  })

  it('is not cut in the middle of a colour or of a character', () => {
    expect(cleanLine(`${'x'.repeat(16_382)}\u001b[31mred`)).toBe(`${'x'.repeat(16_382)} … [line cut]`)
    expect(cleanLine(`${'x'.repeat(16_383)}🚀 and more`).isWellFormed()).toBe(true)
  })

  it('has no control character but tab and whole colours, whatever was printed', () => {
    const printed = fc.array(
      fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('\u001b', '\u001b[', '\u009b', ';', '31', 'm', '\u001b]')),
    )
    fc.assert(
      fc.property(printed, (parts) => {
        // oxlint-disable-next-line no-control-regex -- control characters are what must not be there
        const left = cleanLine(parts.join('')).replaceAll(/\u001b\[[0-9;]*m/g, '')
        // oxlint-disable-next-line no-control-regex -- as above
        expect(left).not.toMatch(/[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u2028\u2029]/)
      }),
    )
  })
})
