import type { NewLogLine } from '../../lib/log-buffer.ts'

/** A line as the server prints it: when, and what. */
export function printedLine(printed: string): NewLogLine {
  const space = printed.indexOf(' ')
  return { at: printed.slice(0, space), text: printed.slice(space + 1), stream: 'stdout' }
}

/** What a later reading of the last lines has beyond an earlier one; undefined where the two have nothing in common. */
export function newLines(before: readonly string[], after: readonly string[]): readonly string[] | undefined {
  const last = before.at(-1)
  if (last === undefined) return undefined
  const found = after.lastIndexOf(last)
  return found === -1 ? undefined : after.slice(found + 1)
}
