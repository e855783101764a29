const FIRST_MS = 1000
const LONGEST_MS = 60_000

/** 1 s, 2 s, 4 s … up to a minute. */
export function backoffMs(attempts: number): number {
  return Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.max(0, attempts - 1))
}
