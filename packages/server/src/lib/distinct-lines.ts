/** Each line once, where it came last: a program that is started again and again says the same again and again. */
export function distinctLines(lines: readonly string[]): string[] {
  return [...new Set(lines.toReversed())].toReversed()
}
