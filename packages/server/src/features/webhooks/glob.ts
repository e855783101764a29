/**
 * Whether a pattern matches a path of a repository: `*` and `?` stay within a directory, `**` does not, and a pattern without wildcards
 * matches the file or everything below the directory. The time is limited to the length of the path times that of the pattern, and `spend`
 * is told how many characters are compared, before they are. The pattern is parsed once, for all paths.
 */
export function globMatcher(pattern: string, spend: (comparisons: number) => void = () => undefined): (path: string) => boolean {
  const plain = withoutEnds(pattern)
  if (!hasWildcards(plain)) return (path) => path === plain || path.startsWith(`${plain}/`)
  const tokens = tokensOf(plain)
  return (path) => matches(path, tokens, spend)
}

export function hasWildcards(pattern: string): boolean {
  return /[*?]/.test(pattern)
}

/** As paths are written: relative, and directories without a slash at the end. */
export function withoutEnds(pattern: string): string {
  return pattern.replace(/^\.?\//, '').replace(/\/$/, '')
}

type Token = { kind: 'text'; char: string } | { kind: 'one' } | { kind: 'many' } | { kind: 'deep' } | { kind: 'directories' }

function tokensOf(pattern: string): Token[] {
  const tokens: Token[] = []
  for (const [piece] of pattern.matchAll(/(?<=^|\/)\*\*\/|\*\*+|\*|\?|[^*?]/gu)) {
    if (piece === '**/') tokens.push({ kind: 'directories' })
    else if (piece.startsWith('**')) tokens.push({ kind: 'deep' })
    else if (piece === '*') tokens.push({ kind: 'many' })
    else tokens.push(piece === '?' ? { kind: 'one' } : { kind: 'text', char: piece })
  }
  return tokens
}

/** `reached[n]`: 1 if the tokens so far can match the first n characters. Most patterns begin with a name, so most paths end there. */
function matches(path: string, tokens: readonly Token[], spend: (comparisons: number) => void): boolean {
  const chars = Array.from(path)
  let reached = new Uint8Array(chars.length + 1)
  reached[0] = 1
  for (const token of tokens) {
    spend(chars.length + 1)
    reached = after(token, reached, chars)
    if (!reached.includes(1)) return false
  }
  return reached[chars.length] === 1
}

function after(token: Token, reached: Uint8Array, chars: readonly string[]): Uint8Array<ArrayBuffer> {
  const next = new Uint8Array(reached.length)
  if (token.kind === 'text' || token.kind === 'one') {
    for (let n = 0; n < chars.length; n += 1)
      if (reached[n] === 1 && (token.kind === 'text' ? chars[n] === token.char : chars[n] !== '/')) next[n + 1] = 1
    return next
  }
  let isOn = false
  for (let n = 0; n <= chars.length; n += 1) {
    if (token.kind === 'many' && n > 0 && chars[n - 1] === '/') isOn = false
    isOn ||= reached[n] === 1
    // `**/` matches nothing, or ends right after a slash
    next[n] = Number(token.kind === 'directories' ? reached[n] === 1 || (isOn && chars[n - 1] === '/') : isOn)
  }
  return next
}
