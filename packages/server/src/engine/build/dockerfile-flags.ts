const BLANKS = '\t\n\v\f\r \u0085\u00a0'

/**
 * The flags at the beginning of an instruction's arguments, and the rest, split as the builder does: quotes and escapes are removed, and
 * a quoted space belongs to its flag. The builder works on bytes, and treats 0x85 and 0xA0 as spaces, even in the middle of a character.
 */
export function readFlags(text: string, escape: string): { flags: string[]; rest: string } {
  const bytes = Buffer.from(text, 'utf8').toString('latin1')
  const flags: string[] = []
  let at = 0
  while (true) {
    while (at < bytes.length && BLANKS.includes(bytes.charAt(at))) at += 1
    if (!bytes.startsWith('--', at)) return { flags, rest: fromBytes(bytes.slice(at)) }
    const { word, end } = readWord(bytes, at, escape)
    at = end
    if (word === '--') return { flags, rest: fromBytes(bytes.slice(at)) }
    flags.push(fromBytes(word))
  }
}

function readWord(bytes: string, from: number, escape: string): { word: string; end: number } {
  let word = ''
  let quote = ''
  let at = from
  for (; at < bytes.length; at += 1) {
    const sign = bytes.charAt(at)
    if (quote === '' && BLANKS.includes(sign)) break
    if (quote === '' && (sign === '"' || sign === "'")) quote = sign
    else if (sign === quote) quote = ''
    else if (sign === escape) {
      at += 1
      word += bytes.charAt(at)
    } else word += sign
  }
  return { word, end: at }
}

const fromBytes = (bytes: string): string => (/[\u0080-\u00ff]/.test(bytes) ? Buffer.from(bytes, 'latin1').toString('utf8') : bytes)
