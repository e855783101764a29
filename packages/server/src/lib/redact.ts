const SHORTEST_SECRET = 6
const CUT_MARK = '…'

/** Hides every one of these texts in lines that people will read. A secret of several lines is hidden line by line. */
export function createRedactor(secrets: Iterable<string>): (line: string) => string {
  const parts = new Set<string>()
  for (const secret of secrets) for (const part of secret.split(/\r?\n/)) if (part.trim().length >= SHORTEST_SECRET) parts.add(part.trim())
  const longestFirst = [...parts].toSorted((a, b) => b.length - a.length)
  if (longestFirst.length === 0) return (line) => line
  return (line) => {
    let shown = line
    for (const secret of longestFirst) if (shown.includes(secret)) shown = shown.replaceAll(secret, '***')
    return hideCutSecret(shown, longestFirst)
  }
}

/** A line that was cut may end in the beginning of a secret. */
function hideCutSecret(line: string, secrets: readonly string[]): string {
  const mark = line.lastIndexOf(CUT_MARK)
  if (mark === -1) return line
  const head = line.slice(0, mark).trimEnd()
  for (const secret of secrets) {
    for (let length = secret.length - 1; length >= 4; length -= 1) {
      if (head.endsWith(secret.slice(0, length))) return `${head.slice(0, -length)}***${line.slice(head.length)}`
    }
  }
  return line
}
