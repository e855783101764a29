import type { Hit } from './secret-search.ts'

const OF_A_RUN = /[A-Za-z0-9+/_=-]/

/** Where the run of letters and digits that ends at this position begins. */
export function runStart(text: string, place: number): number {
  let from = place
  while (from > 0 && OF_A_RUN.test(text.charAt(from - 1))) from -= 1
  return from
}

function runEnd(text: string, place: number): number {
  let to = place
  while (to < text.length - 1 && OF_A_RUN.test(text.charAt(to + 1))) to += 1
  return to
}

/** Collects the matches in a text and returns them as ranges that do not overlap, so that many matches cost no more than few. */
export function createMarks(text: string) {
  /** How many matches begin at each position, minus those that ended before it. */
  let wholes: Int32Array | undefined
  let parts: Int32Array | undefined

  function add({ first, last, isPart }: Hit): void {
    const changes = isPart ? (parts ??= new Int32Array(text.length + 1)) : (wholes ??= new Int32Array(text.length + 1))
    changes[first] = (changes[first] ?? 0) + 1
    changes[last + 1] = (changes[last + 1] ?? 0) - 1
  }

  function each(onRange: (first: number, last: number) => void): void {
    if (wholes) eachRange(wholes, onRange)
    // The whole run that contains a partial match. Ranges do not touch, so each run between two of them is walked at most twice.
    if (parts) eachRange(parts, (first, last) => onRange(runStart(text, first), runEnd(text, last)))
  }

  return { add, each }
}

function eachRange(changes: Int32Array, onRange: (first: number, last: number) => void): void {
  let open = 0
  let first = 0
  for (let at = 0; at < changes.length; at += 1) {
    const change = changes[at] ?? 0
    if (open === 0 && change > 0) first = at
    if (open > 0 && open + change === 0) onRange(first, at - 1)
    open += change
  }
}
