/** The places of a pattern at which the characters read so far can end. */
export type Places = Uint16Array

/**
 * A pattern that is matched against a path piece by piece. It also matches everything below a directory that it matches. `read` calls
 * `count` with the number of steps it takes.
 */
export type PathPattern = {
  readonly start: Places
  read(places: Places, text: string, count: (steps: number) => void): Places
  isMatch(places: Places): boolean
}

/** What a step of a pattern does with a character. Numbers, because this is compared very many times. */
const ONE = 0 // reads this one, and goes on
const ANY_IN_NAME = 1 // reads it and stays if it is no slash, or goes on without reading: `*`
const ANY = 2 // reads it and stays, or goes on without reading: `**`
const ONE_IN_NAME = 3 // reads it and goes on if it is no slash: `?`
const ONE_OF = 4 // reads it and goes on if it is in the class
const DIRECTORIES = 5 // goes on to the next step or the one after it without reading: `**/`
const UNTIL_SLASH = 6 // reads it and stays, and also goes on after a slash
const BELOW = 7 // reads everything that follows

type Step = { readonly kind: number; readonly code?: number; readonly oneOf?: RegExp }

const SPECIAL = /^(?:\*+\/?|\?|\[\^?[^\]/]+\]|\\.)/
const SLASH = 0x2f

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
  return patternOf(steps)
}

function stepsOf(part: string): Step[] {
  if (part === '*') return [{ kind: ANY_IN_NAME }]
  if (part === '*/') return [{ kind: ANY_IN_NAME }, { kind: ONE, code: SLASH }]
  // More than two stars mean the same as two. With a slash they match nothing, or anything that ends with a slash.
  if (part.startsWith('*')) return part.endsWith('/') ? [{ kind: DIRECTORIES }, { kind: UNTIL_SLASH }] : [{ kind: ANY }]
  if (part === '?') return [{ kind: ONE_IN_NAME }]
  if (part.length > 2 && part.startsWith('[')) return [{ kind: ONE_OF, oneOf: new RegExp(`^${part}$`, 's') }]
  return [{ kind: ONE, code: part.charCodeAt(part.length - 1) }]
}

function patternOf(pattern: readonly Step[]): PathPattern {
  const end = pattern.length
  const below = end + 1
  const steps = [...pattern, { kind: ONE, code: SLASH }, { kind: BELOW }]
  const kinds = Uint8Array.from(steps, ({ kind }) => kind)
  const codes = Uint16Array.from(steps, ({ code }) => code ?? 0)
  const enteredIn = new Uint32Array(steps.length) // the turn in which each place was entered last
  let turn = 1
  let reached = new Uint16Array(steps.length)
  let spare = new Uint16Array(steps.length)
  let size = 0

  function enter(place: number): void {
    if (enteredIn[place] === turn) return
    enteredIn[place] = turn
    reached[size] = place
    size += 1
    const kind = kinds[place]
    if (kind === ANY || kind === ANY_IN_NAME || kind === DIRECTORIES) enter(place + 1)
    if (kind === DIRECTORIES) enter(place + 2)
  }

  function step(place: number, code: number): void {
    const kind = kinds[place]
    if (kind === ANY || kind === UNTIL_SLASH || kind === BELOW || (kind === ANY_IN_NAME && code !== SLASH)) enter(place)
    if (
      (kind === ONE && codes[place] === code) ||
      (kind === UNTIL_SLASH && code === SLASH) ||
      (kind === ONE_IN_NAME && code !== SLASH) ||
      (kind === ONE_OF && steps[place]?.oneOf?.test(String.fromCharCode(code)) === true)
    )
      enter(place + 1)
  }

  function read(places: Places, text: string, count: (steps: number) => void): Places {
    if (places.includes(below)) return places
    let held = places.length
    spare.set(places)
    turn += 1
    for (let at = 0; at < text.length && held > 0 && enteredIn[below] !== turn; at += 1) {
      count(held)
      const code = text.charCodeAt(at)
      turn += 1
      size = 0
      for (let index = 0; index < held; index += 1) step(spare[index] ?? 0, code)
      held = size
      ;[reached, spare] = [spare, reached]
    }
    return spare.slice(0, held)
  }

  enter(0)
  return { start: reached.slice(0, size), read, isMatch: (places) => places.includes(end) || places.includes(below) }
}
