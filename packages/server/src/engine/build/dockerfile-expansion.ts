type Line = { readonly number: number; readonly text: string }
type Lengths = Map<string, number>

/** For a variable that the Dockerfile does not set: one of the base image, or of the shell. */
const UNKNOWN_LENGTH = 256
const MOST_IN_A_LINE = 64 * 1024
/** Of all lines and here-documents, in all ways to parse the file: a line that begins a here-document may be in another one. */
const MOST_READ = 2 * 1024 * 1024
/** The builder's work grows with the square of a line's length. Each line counts once per way to parse the file. */
const MOST_WORK = 3 * 4 * MOST_IN_A_LINE ** 2
/** The key in `lengths` for a name composed of other variables, which may be any name. */
const ANY_NAME = ''
const SETS = /^(?:ONBUILD[\s\u0085]+)*(ARG|ENV)[\s\u0085]+(.*)/is
const WRITES = /^(?:ONBUILD[\s\u0085]+)*(?:COPY|ADD)[\s\u0085].*?<<-?["']?([^\s"'<>]+)/is
const NAME = /[\p{L}_][\p{L}\p{N}_]*|\p{N}+|[@*#?!$-]/uy
const BLANK = /[\s\u0085]/

/**
 * Why a Dockerfile would be too long with its variables filled in, or null. The builder copies the whole text for each character it adds,
 * inside the engine and outside the limits of builds, so a megabyte takes it minutes and nothing stops it. The estimate is never too low:
 * each name counts with the longest value it ever has.
 */
export function whyTooLong(
  lines: readonly Line[],
  readings: readonly (readonly Line[])[],
  buildArgs: Readonly<Record<string, string>>,
): string | null {
  const lengths: Lengths = new Map(Object.entries(buildArgs).map(([name, value]) => [name, value.length]))
  let work = 0
  let read = 0
  for (const { number, text } of readings.flat()) {
    const line = text.trimStart()
    for (const whole of [line, writtenFile(lines, number, line)]) {
      const length = expandedLength(whole, lengths)
      work += length ** 2
      read += whole.length
      if (length > MOST_IN_A_LINE)
        return `Line ${number} of the Dockerfile is longer than 64 KiB with its variables filled in. Move long text into files.`
      if (read > MOST_READ) return 'The Dockerfile has too many here-documents. Move long text into files.'
      if (work > MOST_WORK) return 'The Dockerfile is too long with its variables filled in. Move long text into files.'
    }
    remember(line, lengths)
  }
  return null
}

/** The here-document of a `COPY` or `ADD`, which is one text for the builder. */
function writtenFile(lines: readonly Line[], number: number, text: string): string {
  const end = WRITES.exec(text)?.[1]
  if (end === undefined) return ''
  let written = ''
  for (let at = number; at < lines.length && written.length <= MOST_IN_A_LINE; at += 1) {
    const line = lines[at]?.text ?? ''
    if (line.trim() === end) break
    written += `${line}\n`
  }
  return written
}

/** Records the lengths of the values that a line assigns. */
function remember(text: string, lengths: Lengths): void {
  const [, instruction = '', rest = ''] = SETS.exec(text) ?? []
  const words = instruction === '' ? [] : wordsOf(rest)
  // `ENV name the rest of the line`
  const isOnePair = instruction.toUpperCase() === 'ENV' && !(words[0] ?? '').includes('=')
  const pairs = words.flatMap((word) => {
    const equals = word.indexOf('=')
    if (isOnePair) return [{ name: words[0] ?? '', value: rest }]
    return equals === -1 ? [] : [{ name: word.slice(0, equals), value: word.slice(equals + 1) }]
  })
  for (const { name, value } of isOnePair ? pairs.slice(0, 1) : pairs) {
    const key = /[$"'\\`]/.test(name) ? ANY_NAME : name
    lengths.set(key, Math.max(lengths.get(key) ?? 0, expandedLength(value, lengths)))
  }
}

/** Splits words as the builder does. Both escape characters count, so that a word is too long rather than too short. */
function wordsOf(text: string): string[] {
  const words: string[] = []
  let from = 0
  let quote = ''
  for (let at = 0; at <= text.length; at += 1) {
    const sign = text.charAt(at)
    if (quote !== "'" && /[\\`]/.test(sign)) at += 1
    else if (quote !== '') quote = sign === quote ? '' : quote
    else if (/["']/.test(sign)) quote = sign
    else if (BLANK.test(sign)) {
      if (at > from) words.push(text.slice(from, at))
      from = at + 1
    }
  }
  return from < text.length ? [...words, text.slice(from)] : words
}

type Open = { readonly base: number; readonly isReplacing: boolean; inner: number; quote: string }

/** The length of a text when every variable in it has its longest value, and every alternative after `:-` or `:+` is used as well. */
function expandedLength(text: string, lengths: Lengths): number {
  const lengthOf = (name: string) => Math.max(lengths.get(name) ?? UNKNOWN_LENGTH, lengths.get(ANY_NAME) ?? 0)
  const within: Open[] = []
  let top: Open = { base: 0, isReplacing: false, inner: 0, quote: '' }
  const close = () => {
    // `${name//a/b}` can put `b` before and after each character
    const length = top.isReplacing ? (top.base + 1) * (1 + top.inner) : top.base + top.inner
    top = within.pop() ?? top
    top.inner += length
  }
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.charAt(at)
    if (sign === '$') {
      const isBraced = text.charAt(at + 1) === '{'
      NAME.lastIndex = at + (isBraced ? 2 : 1)
      const name = NAME.exec(text)?.[0] ?? ''
      at += (isBraced ? 1 : 0) + name.length
      if (!isBraced) top.inner += name === '' ? 1 : lengthOf(name)
      else {
        within.push(top)
        top = { base: lengthOf(name), isReplacing: text.charAt(at + 1) === '/', inner: 0, quote: '' }
      }
    } else if (sign === '}' && within.length > 0 && top.quote === '' && !(top.isReplacing && /[\\`]/.test(text.charAt(at - 1)))) close()
    else {
      top.inner += 1
      if (top.isReplacing && /["']/.test(sign)) top.quote = top.quote === '' ? sign : top.quote === sign ? '' : top.quote
    }
  }
  while (within.length > 0) close()
  return top.inner
}
