import { randomFillSync } from 'node:crypto'

/**
 * Far above any push and any call of ours. Parsed JSON can take more than twenty times the memory of its text if it consists of empty
 * objects. A shape is what the names of an object are so far, in their order: `{"a":1,"b":2}` has two. V8 makes a hidden class for each new
 * one, which takes microseconds and half a kilobyte, so ten megabytes of them would take ten seconds.
 */
const MOST = { openings: 100_000, commas: 300_000, shapes: 5000 }
/** Nothing below this can have as many: each shape takes a name of two quotes, a colon, a value, and what separates it from the next. */
const LEAST_BYTES = MOST.shapes * 5

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]
const SPACE = 0x20
/** An integer with fewer is small. */
const MOST_DIGITS = 10
/** Where there are no names. An object has the hash of its names so far, which is not negative. */
const LIST = -1

/**
 * Whether to parse this as JSON could hold up the server. One pass, without regard for what is no JSON: parsing ends at the first mistake,
 * and up to there it sees what this sees.
 */
export function hasTooManyParts(bytes: Buffer): boolean {
  if (bytes.length < LEAST_BYTES) return false
  const shapes = createShapes(bytes)
  const around: number[] = []
  let [shape, isName, openings, commas] = [LIST, false, 0, 0]
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0
    if (byte < QUOTE || (byte > COMMA && byte < OPEN_LIST)) continue // blanks and digits
    if (byte === QUOTE) {
      const end = endOfText(bytes, at + 1)
      if (isName) shape = shapes.after(shape, at + 1, end)
      isName = false
      at = end
    } else if (byte === COMMA) {
      commas += 1
      isName = shape !== LIST
      if (isName && isFraction(bytes, at)) shapes.noteFraction(shape)
    } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      openings += 1
      around.push(shape)
      isName = byte === OPEN_OBJECT
      shape = isName ? 0 : LIST
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      if (shape !== LIST && isFraction(bytes, at)) shapes.noteFraction(shape)
      isName = false
      shape = around.pop() ?? LIST
    }
    if (commas > MOST.commas || openings > MOST.openings || shapes.count() > MOST.shapes) return true
  }
  return false
}

function isDigit(byte = 0): boolean {
  return byte >= 0x30 && byte <= 0x39
}

/** One of +-.eE, before digits of the same number. */
function isSign(byte = 0): boolean {
  return (byte >= 0x2b && byte <= 0x2e && byte !== COMMA) || (byte | 0x20) === 0x65
}

/** The place of the quote that ends it. */
function endOfText(bytes: Buffer, start: number): number {
  let at = start
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1
  return at
}

/** Whether a number that is not, or may not be, a small integer ends before `end`. */
function isFraction(bytes: Buffer, end: number): boolean {
  let at = end - 1
  while (at >= 0 && (bytes[at] ?? 0) <= SPACE) at -= 1
  const first = Math.max(at - MOST_DIGITS, -1)
  if (!isDigit(bytes[at])) return false
  while (at > first && isDigit(bytes[at])) at -= 1
  return at === first || isSign(bytes[at])
}

/**
 * Counts the shapes that V8 makes. When a shape that had only small integers gets another number, V8 makes it again, with all that begin
 * with it. This counts all shapes again then, because it does not remember which begin with it.
 */
function createShapes(bytes: Buffer) {
  const hash = createHash(bytes)
  const seen = new Set<number>()
  const withFraction = new Set<number>()
  let made = 0

  function after(shape: number, from: number, to: number): number {
    const next = hash(shape, from, to)
    const before = seen.size
    made += seen.add(next).size - before
    return next
  }

  function noteFraction(shape: number): void {
    if (withFraction.has(shape)) return
    withFraction.add(shape)
    seen.clear()
    made += 1
  }

  return { after, noteFraction, count: () => made }
}

/** Bytes of a name. Each longer name counts as a new one. */
const MOST_HASHED = 256

/**
 * HalfSipHash-1-3 with a key of its own for each text, so that nobody can write names with the same hash. What it hashes is the shape
 * before and the bytes of the name; names that are escaped in different ways count as different, which is too many at worst.
 */
function createHash(bytes: Buffer) {
  const [key0 = 0, key1 = 0] = randomFillSync(new Int32Array(2))

  return function hash(before: number, from: number, to: number): number {
    let v0 = key0
    let v1 = key1
    let v2 = key0 ^ 0x6c796765
    let v3 = key1 ^ 0x74656462
    const last = Math.min(to, from + MOST_HASHED)
    const words = (last - from + 3) >> 2
    let word = before
    for (let turn = 0; turn < words + 5; turn += 1) {
      if (turn > 0) word = 0
      if (turn > 0 && turn <= words) word = wordAt(bytes, from + (turn - 1) * 4, last)
      if (turn === words + 1) word = last === to ? to - from : from
      if (turn === words + 2) v2 ^= 0xff
      v3 ^= word
      v0 = (v0 + v1) | 0
      v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0
      v0 = (v0 << 16) | (v0 >>> 16)
      v2 = (v2 + v3) | 0
      v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2
      v0 = (v0 + v3) | 0
      v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0
      v2 = (v2 + v1) | 0
      v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2
      v2 = (v2 << 16) | (v2 >>> 16)
      v0 ^= word
    }
    return (v1 ^ v3) >>> 1
  }
}

/** The next four bytes of a name, or as many as are left. */
function wordAt(bytes: Buffer, at: number, end: number): number {
  let word = 0
  for (let each = Math.min(at + 4, end) - 1; each >= at; each -= 1) word = (word << 8) | (bytes[each] ?? 0)
  return word
}
