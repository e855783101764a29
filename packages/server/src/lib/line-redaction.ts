import { cleanLine, cutLine, isColour, NOT_TEXT } from './clean-line.ts'
import { createMarks, runStart } from './marks.ts'
import type { Hit, SecretSearch, Steps } from './secret-search.ts'
import { decodedText, type OverprintedText, overprintedText, type TextView, visibleText } from './text-views.ts'

/** A printed line, and which of its characters must be hidden. */
export type PrintedLine = { readonly raw: string; hidden: Uint8Array | undefined; isAllHidden?: boolean }
/** A character of a line that may belong to a secret that continues in the next line. */
export type PossibleStart = { readonly line: PrintedLine; readonly from: number; readonly to: number }
/** The partial matches at the end of a line. */
export type LineEnd = { readonly state: number; readonly begun: readonly PossibleStart[] }
/** The end of an earlier line, and the position at which this line would continue it. */
type Before = { readonly end: LineEnd | undefined; readonly from: number }

const MASK = '***'
const ALL_HIDDEN = `${MASK} [line hidden]`
/** A search takes two steps per character, or four with white space, and a line is searched at most seven times. */
const STEPS_PER_CHARACTER = 32
const FEWEST_STEPS = 1024
/** A shorter prefix of a secret reveals nothing, and many lines end in one by chance. */
export const SHORTEST_PREFIX = 4
/** The names of our own images: whoever knows one could build on it. */
const IMAGE_NAME = /(?:docker\.io\/)?berth\/(?:pulled-[a-z0-9]+-\d+-)?[0-9a-f]{32}(?::[\w.-]+)?/g
const STEP = /^#\d+ /

/** The step number at the beginning of a line of build output. */
export function stepOf(text: string): string {
  return text.startsWith('#') ? (STEP.exec(text)?.[0] ?? '') : ''
}

export function hide(line: PrintedLine, from: number, to: number): void {
  line.hidden ??= new Uint8Array(line.raw.length)
  line.hidden.fill(1, from, to)
}

/** The line to show: clean text, with a mask in place of what is hidden. */
export function shownLine({ raw, hidden, isAllHidden }: PrintedLine): string {
  if (isAllHidden === true) return ALL_HIDDEN
  if (hidden === undefined) return cleanLine(raw)
  let shown = ''
  let isHiding = false
  let next = 0
  // Looked for once for each run of characters that are hidden, or are not: a line can have very many pieces between two changes.
  let run = { isHidden: false, end: 0 }
  const take = (end: number) => {
    for (let at = next; at < end; ) {
      if (at >= run.end) run = runFrom(hidden, at)
      const to = Math.min(run.end, end)
      if (!run.isHidden) shown += raw.slice(at, to)
      else if (!isHiding) shown += MASK
      isHiding = run.isHidden
      at = to
    }
  }
  for (const { 0: found, index } of raw.matchAll(NOT_TEXT)) {
    take(index)
    next = index + found.length
    if (isColour(found)) shown += found
  }
  take(raw.length)
  return cutLine(shown)
}

function runFrom(hidden: Uint8Array, at: number): { isHidden: boolean; end: number } {
  const isHidden = hidden[at] === 1
  const change = hidden.indexOf(isHidden ? 0 : 1, at)
  return { isHidden, end: change === -1 ? hidden.length : change }
}

type Options = { readonly hasSpaces: boolean; readonly stepsFor?: (length: number) => number }
const enoughSteps = (length: number): number => FEWEST_STEPS + STEPS_PER_CHARACTER * length

/** Finds what must be hidden in a line, and in the earlier lines that it continues. */
export function createLineRedaction(search: SecretSearch | undefined, { hasSpaces, stepsFor = enoughSteps }: Options) {
  return function redact(line: PrintedLine, befores: readonly Before[]): LineEnd | undefined {
    const view = visibleText(line.raw)
    if (view.text.includes('berth/')) hideImageNames(line, view)
    if (search === undefined) return undefined
    const steps = { left: stepsFor(line.raw.length) }
    const { state, begun } = hideSecrets(search, line, view, steps)
    const overprinted = overprintedText(line.raw)
    if (overprinted) hideSecrets(search, line, overprinted, steps)
    const decoded = decodedText(view, { plusIsSpace: false })
    if (decoded) hideSecrets(search, line, decoded, steps)
    const spaced = hasSpaces && view.text.includes('+') ? decodedText(view, { plusIsSpace: true }) : undefined
    if (spaced) hideSecrets(search, line, spaced, steps)
    if (view.text.includes('…')) hideBeforeCut(search, line, view, steps)
    let last: LineEnd | undefined = state === 0 ? undefined : { state, begun: begunAt(line, view, begun) }
    for (const before of befores) {
      const whole = continueFrom(search, line, view, { ...before, steps })
      if (whole && whole.begun.length > (last?.begun.length ?? 0)) last = whole
    }
    if (steps.left < 0) hideAll(line, befores)
    return last
  }
}

/** A line that was not searched to its end is hidden, and so is everything that it may continue. */
function hideAll(line: PrintedLine, befores: readonly Before[]): void {
  line.isAllHidden = true
  for (const { end } of befores) for (const { line: other, from, to } of end?.begun ?? []) hide(other, from, to)
}

function hideImageNames(line: PrintedLine, view: TextView): void {
  for (const { 0: name, index } of view.text.matchAll(IMAGE_NAME)) hideRange(line, view, index, index + name.length - 1)
}

function hideRange(line: PrintedLine, view: TextView | OverprintedText, first: number, last: number): void {
  if ('from' in view) return hide(line, view.from(first), view.to(last))
  for (let at = first; at <= last; at += 1) for (const place of view.placesOf(at)) hide(line, place, place + 1)
}

function hideSecrets(search: SecretSearch, line: PrintedLine, view: TextView | OverprintedText, steps: Steps) {
  const marks = createMarks(view.text)
  const found = search.scan({ text: view.text, steps, onHit: marks.add })
  marks.each((first, last) => hideRange(line, view, first, last))
  return found
}

/** A line that was cut may end with the beginning of a secret. */
function hideBeforeCut(search: SecretSearch, line: PrintedLine, view: TextView, steps: Steps): void {
  const text = view.text.slice(0, view.text.lastIndexOf('…'))
  const { begun } = search.scan({ text, steps, onHit: () => {} })
  if (begun.length >= SHORTEST_PREFIX) hideRange(line, view, begun[0] ?? 0, begun.at(-1) ?? 0)
}

function begunAt(line: PrintedLine, view: TextView, places: readonly number[]): PossibleStart[] {
  return places.map((at) => ({ line, from: view.from(at), to: view.to(at) }))
}

/** Continues the partial matches of the lines before. Returns those that are still partial, if they cover this whole line. */
function continueFrom(
  search: SecretSearch,
  line: PrintedLine,
  view: TextView,
  { end, from, steps }: Before & { steps: Steps },
): LineEnd | undefined {
  if (end === undefined) return undefined
  const marks = createMarks(view.text)
  /** How many characters of the earlier lines belong to a secret, and to a part of one. */
  const longest = { any: 0, part: 0 }
  const onHit = (hit: Hit, before: number): void => {
    marks.add(hit)
    longest.any = Math.max(longest.any, before)
    if (hit.isPart) longest.part = Math.max(longest.part, before)
  }
  const { state, count, begun } = search.goOn({ text: view.text, after: { state: end.state, from }, steps, onHit })
  marks.each((first, last) => hideRange(line, view, Math.max(first, from), last))
  for (const before of end.begun.slice(end.begun.length - longest.any)) hide(before.line, before.from, before.to)
  const first = longest.part === 0 ? undefined : end.begun.at(-longest.part)
  if (first) hide(first.line, runStart(first.line.raw, first.from), first.from)
  const length = search.begunIn(state)
  if (length <= count) return undefined
  return { state, begun: [...end.begun.slice(count - length), ...begunAt(line, view, begun)] }
}
