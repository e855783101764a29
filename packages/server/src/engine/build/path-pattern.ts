/** Whether a path, or a directory above it, matches. */
export type PathPattern = (path: string) => boolean

/** `skip` advances without reading a character, `stay` reads characters, `next` advances after one. */
type Step = { readonly skip: readonly number[]; stay(char: string): boolean; next(char: string): boolean }

const SPECIAL = /^(?:\*\*\/?|\*|\?|\[\^?[^\]/]+\]|\\.)/
const never = () => false
const notSlash = (char: string) => char !== '/'

/**
 * A pattern of a `.dockerignore` file, or null if it is not valid. All possible matches are followed at the same time, character by
 * character: unlike with a regular expression, the time is limited to the length of the pattern times that of the path.
 */
export function parsePathPattern(pattern: string): PathPattern | null {
  const steps: Step[] = []
  let at = 0
  while (at < pattern.length) {
    const part = SPECIAL.exec(pattern.slice(at))?.[0] ?? pattern.charAt(at)
    try {
      steps.push(...stepsOf(part))
    } catch {
      return null // not a valid [class]
    }
    at += part.length
  }
  return (path) => matches(steps, path)
}

function stepsOf(part: string): Step[] {
  // Matches nothing, or anything that ends with a slash: the second step only ends after a slash.
  if (part === '**/')
    return [
      { skip: [1, 2], stay: never, next: never },
      { skip: [], stay: () => true, next: (char) => char === '/' },
    ]
  if (part === '**') return [{ skip: [1], stay: () => true, next: never }]
  if (part === '*') return [{ skip: [1], stay: notSlash, next: never }]
  if (part === '?') return [{ skip: [], stay: never, next: notSlash }]
  if (part.length > 2 && part.startsWith('[')) {
    const oneOf = new RegExp(`^${part}$`, 's')
    return [{ skip: [], stay: never, next: (char) => oneOf.test(char) }]
  }
  const literal = part.length === 2 ? part.charAt(1) : part
  return [{ skip: [], stay: never, next: (char) => char === literal }]
}

function matches(steps: readonly Step[], path: string): boolean {
  let places = new Set<number>()
  enter(steps, places, 0)
  for (let at = 0; at < path.length && places.size > 0; at += 1) {
    const char = path.charAt(at)
    // A pattern that matches a directory also matches everything below it.
    if (char === '/' && places.has(steps.length)) return true
    const following = new Set<number>()
    for (const place of places) {
      const step = steps[place]
      if (step?.stay(char) === true) enter(steps, following, place)
      if (step?.next(char) === true) enter(steps, following, place + 1)
    }
    places = following
  }
  return places.has(steps.length)
}

function enter(steps: readonly Step[], places: Set<number>, place: number): void {
  const open = [place]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (places.has(next)) continue
    places.add(next)
    for (const distance of steps[next]?.skip ?? []) open.push(next + distance)
  }
}
