import { describe, expect, it } from 'vitest'
import { printable } from './printable.ts'

describe('foreign text on a terminal', () => {
  it('keeps plain text, tabs and colours', () => {
    expect(printable('step\t1: \u001b[32mdone\u001b[0m – ü')).toBe('step\t1: \u001b[32mdone\u001b[0m – ü')
  })

  it('loses what moves the cursor, clears the screen or renames the window', () => {
    expect(printable('a\u001b[2Jb\u001b[1;1Hc\u001b]0;title\u0007d\re\u0008f\u009bg')).toBe('abcdefg')
  })

  it('loses an escape at the very end', () => {
    expect(printable('half\u001b')).toBe('half')
  })
})
