/** Each line once, at its last position: a program that keeps restarting keeps printing the same lines. */
export function distinctLines(lines: readonly string[]): string[] {
  return [...new Set(lines.toReversed())].toReversed()
}
