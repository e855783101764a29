export function median(values: readonly number[]): number {
  return percentile(values, 0.5)
}

/** The smallest value that at least this share of the values does not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN
}

/** `--name=5` on the command line, or the fallback. */
export function numberFlag(name: string, fallback: number): number {
  const given = process.argv.find((word) => word.startsWith(`--${name}=`))
  return given === undefined ? fallback : Number(given.slice(name.length + 3))
}

export function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** The last line of every figure: the number, the aim, and whether it is met. */
export function verdict(figure: string, value: number, aim: { atLeast: number } | { atMost: number }): void {
  const isMet = 'atLeast' in aim ? value >= aim.atLeast : value <= aim.atMost
  const words = 'atLeast' in aim ? `at least ${aim.atLeast}` : `at most ${aim.atMost}`
  say(`${figure}: ${value.toFixed(2)} (aim: ${words}) ${isMet ? 'met' : 'NOT met'}`)
}
