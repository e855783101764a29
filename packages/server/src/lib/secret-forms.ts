import { SPACE, visibleText } from './text-views.ts'

/**
 * A text to search for, without its white space. `isSpaced`: it had some. `isPart`: it is part of a run of letters and digits that is
 * secret as a whole.
 */
export type SecretForm = { readonly text: string; readonly isSpaced: boolean; readonly isPart: boolean }

/** Hiding "on" or "3000" would make a log unreadable. */
const SHORTEST = 8
/** So would hiding words that are common both in settings and in logs. */
const COMMON = new Set(
  (
    'anonymous authenticated automatic container database debugging default defaults deployment development disabled enabled ' +
    'external frontend internal localhost production postgres postgresql password preview previous standard standalone strategy ' +
    'testing username undefined unlimited warnings'
  ).split(' '),
)
const SHORTEST_ENCODED = 12
/** A longer text is searched for in parts, so that little of a log is held back because of a possible match. */
const LONGEST = 64
const PART = 32
/** For a very long run of letters and digits one part per line of 64 characters is enough, because the whole run in that line is hidden. */
const LONG_RUN = 1024
const SAMPLE = { length: 16, every: 48 } as const
const RUN = /^[\w+/=-]+$/
/** The limit for all values together, enforced by `environment-size.ts`. */
export const LONGEST_VALUES = 128 * 1024
/** The limit for all build secrets of an app, with their names. */
export const LONGEST_BUILD_SECRETS = 64 * 1024
const LONGEST_TOGETHER = LONGEST_VALUES + LONGEST_BUILD_SECRETS
/** The limit for all forms. Parts can overlap, and short lines are searched for twice. */
const MOST_PLAIN = 2 * LONGEST_TOGETHER
const MOST_ENCODED = LONGEST_TOGETHER
const LONGEST_WHOLE = 4096

/** The forms a value may have in a text: itself, each of its lines, and inside something encoded as base64. */
export function formsOf(values: Iterable<string>): SecretForm[] {
  const shortestFirst = [...new Set(values)].toSorted((a, b) => a.length - b.length)
  return [...limited(shortestFirst, plainForms, MOST_PLAIN), ...limited(shortestFirst, encodedForms, MOST_ENCODED)]
}

function limited(values: readonly string[], formsOfOne: (value: string) => Iterable<SecretForm>, most: number): Iterable<SecretForm> {
  const forms = new Map<string, SecretForm>()
  let characters = 0
  for (const value of values) {
    for (const form of formsOfOne(value)) {
      const key = `${form.isSpaced ? ' ' : ''}${form.text}`
      if (!forms.has(key)) characters += form.text.length
      if (characters > most) return forms.values()
      forms.set(key, form)
    }
  }
  return forms.values()
}

function* plainForms(value: string): Generator<SecretForm> {
  const lines = value.split('\n').map((line) => visibleText(line).text.trim())
  for (const line of lines) if (line.length >= SHORTEST && !COMMON.has(line.toLowerCase())) yield* partsOf(line)
  const whole = lines.join('\n').trim()
  // Short lines are only matched together with their neighbours.
  const isCoverable = lines.length > 1 && whole.length >= SHORTEST && whole.length <= LONGEST_WHOLE
  if (isCoverable && lines.some((line) => line.length < SHORTEST)) yield* partsOf(whole)
}

/** The base64 characters that depend only on its bytes, for each of its three possible offsets in a group of three bytes. */
function* encodedForms(value: string): Generator<SecretForm> {
  const text = value.trim()
  if (text.length < SHORTEST_ENCODED) return
  const bytes = Buffer.from(text)
  for (const before of [0, 1, 2]) {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
    const own = encoded.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6))
    yield* partsOf(own, true) // the first and last characters depend on the bytes encoded around it
  }
}

function* partsOf(text: string, isPart = false): Generator<SecretForm> {
  const isSpaced = SPACE.test(text)
  const solid = text.replaceAll(/\s/g, '')
  if (solid.length <= LONGEST) {
    yield { text: solid, isSpaced, isPart }
    return
  }
  const isSampled = text.length > LONG_RUN && RUN.test(text)
  const { length, every } = isSampled ? SAMPLE : { length: PART, every: PART }
  for (let at = 0; at < solid.length; at += every) {
    const from = Math.min(at, solid.length - length) // the last part is as long as the others
    yield { text: solid.slice(from, from + length), isSpaced, isPart: isPart || isSampled }
  }
}
