/**
 * Whether a pattern matches a path of a repository: `*` and `?` stay within a directory, `**` does not, and a pattern without wildcards
 * matches the file or everything below the directory. The time is limited to the length of the path times that of the pattern. The pattern
 * is parsed once, for all paths.
 */
export function globMatcher(pattern: string): (path: string) => boolean {
  const plain = pattern.replace(/^\.?\//, '').replace(/\/$/, '')
  if (!/[*?]/.test(plain)) return (path) => path === plain || path.startsWith(`${plain}/`)
  const tokens = tokensOf(plain)
  return (path) => matches(path, tokens)
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

/** `reached[n]`: whether the tokens so far can match the first n characters. */
function matches(path: string, tokens: readonly Token[]): boolean {
  const chars = Array.from(path)
  let reached = [true, ...chars.map(() => false)]
  for (const token of tokens) reached = after(token, reached, chars)
  return reached[chars.length] === true
}

function after(token: Token, reached: readonly boolean[], chars: readonly string[]): boolean[] {
  const next = reached.map(() => false)
  if (token.kind === 'text' || token.kind === 'one') {
    for (const [n, char] of chars.entries())
      if (reached[n] && (token.kind === 'text' ? char === token.char : char !== '/')) next[n + 1] = true
    return next
  }
  let isOn = false
  for (let n = 0; n <= chars.length; n += 1) {
    if (token.kind === 'many' && n > 0 && chars[n - 1] === '/') isOn = false
    isOn ||= reached[n] === true
    // `**/` matches nothing, or ends right after a slash
    next[n] = token.kind === 'directories' ? reached[n] === true || (isOn && chars[n - 1] === '/') : isOn
  }
  return next
}
