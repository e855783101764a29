/** The line number of each key in a JSON object, as `key` and, one level deeper, `key.inner`. The text must be valid JSON. */
export function keyLines(text: string): ReadonlyMap<string, number> {
  const lines = new Map<string, number>()
  const keys: string[] = []
  let [line, depth, index] = [1, 0, 0]
  while (index < text.length) {
    const character = text.charAt(index)
    if (character === '\n') line += 1
    if (character === '{' || character === '[') depth += 1
    if (character === '}' || character === ']') depth -= 1
    if (character !== '"') {
      index += 1
      continue
    }
    const end = endOfString(text, index)
    if (depth <= 2 && isKey(text, end)) {
      keys[depth] = String(JSON.parse(text.slice(index, end)))
      lines.set(depth === 1 ? `${keys[1]}` : `${keys[1]}.${keys[2]}`, line)
    }
    index = end
  }
  return lines
}

function endOfString(text: string, start: number): number {
  let index = start + 1
  while (index < text.length && text.charAt(index) !== '"') index += text.charAt(index) === '\\' ? 2 : 1
  return index + 1
}

function isKey(text: string, end: number): boolean {
  let index = end
  while (' \t\r\n'.includes(text.charAt(index)) && index < text.length) index += 1
  return text.charAt(index) === ':'
}
