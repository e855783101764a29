import { cleanLine, cutLine, isColour, NOT_TEXT } from './clean-line.ts'
import { type Hit, lastPlaces, type SecretSearch } from './secret-search.ts'
import { decodedText, type OverprintedText, overprintedText, SPACE, type TextView, visibleText } from './text-views.ts'

/** A printed line, and which of its characters nobody may read. */
export type PrintedLine = { readonly raw: string; hidden: Uint8Array | undefined }
/** A character of a line that may belong to a secret which goes on in the next line. */
export type Begun = { readonly line: PrintedLine; readonly from: number; readonly to: number }
/** What had begun by the end of a line. */
export type LineEnd = { readonly state: number; readonly begun: readonly Begun[] }
/** The end of a line before, and the place where this line would go on with it. */
type Before = { readonly end: LineEnd | undefined; readonly from: number }

const MASK = '***'
const OF_A_RUN = /[A-Za-z0-9+/_=-]/
/** A shorter beginning of a secret says nothing about it, and lines end in one all the time. */
export const WORTH_HIDING = 4
/** Our own images: whoever knows the name of one could build on it. */
const IMAGE_NAME = /(?:docker\.io\/)?berth\/[0-9a-f]{32}(?::[\w.-]+)?/g
const STEP = /^#\d+ /

/** The number of the step that printed a line of a build, as the line begins with it. */
export function stepOf(text: string): string {
  return text.startsWith('#') ? (STEP.exec(text)?.[0] ?? '') : ''
}

export function hide(line: PrintedLine, from: number, to: number): void {
  line.hidden ??= new Uint8Array(line.raw.length)
  line.hidden.fill(1, from, to)
}

/** The line as it may be read: one line of text, with a mask in place of what is hidden. */
export function shownLine({ raw, hidden }: PrintedLine): string {
  if (hidden === undefined) return cleanLine(raw)
  let shown = ''
  let isHiding = false
  let next = 0
  const take = (end: number) => {
    for (let at = next; at < end; ) {
      const isHidden = hidden[at] === 1
      const change = hidden.indexOf(isHidden ? 0 : 1, at)
      const to = change === -1 ? end : Math.min(change, end)
      if (!isHidden) shown += raw.slice(at, to)
      else if (!isHiding) shown += MASK
      isHiding = isHidden
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

/** Finds what must be hidden in a line, and in the lines before that it goes on from. */
export function createLineRedaction(search: SecretSearch | undefined, options: { hasSpaces: boolean }) {
  return function redact(line: PrintedLine, befores: readonly Before[]): LineEnd | undefined {
    const view = visibleText(line.raw)
    if (view.text.includes('berth/')) hideImageNames(line, view)
    if (search === undefined) return undefined
    const state = hideSecrets(search, line, view)
    const overprinted = overprintedText(line.raw)
    if (overprinted) hideSecrets(search, line, overprinted)
    const decoded = decodedText(view, { plusIsSpace: false })
    if (decoded) hideSecrets(search, line, decoded)
    const spaced = options.hasSpaces && view.text.includes('+') ? decodedText(view, { plusIsSpace: true }) : undefined
    if (spaced) hideSecrets(search, line, spaced)
    if (view.text.includes('…')) hideBeforeCut(search, line, view)
    let last: LineEnd | undefined = state === 0 ? undefined : { state, begun: begunIn(line, view, search.begunIn(state)) }
    for (const before of befores) {
      const whole = continueFrom(search, line, view, before)
      if (whole && whole.begun.length > (last?.begun.length ?? 0)) last = whole
    }
    return last
  }
}

function hideImageNames(line: PrintedLine, view: TextView): void {
  for (const { 0: name, index } of view.text.matchAll(IMAGE_NAME)) hideRange(line, view, index, index + name.length - 1)
}

function hideRange(line: PrintedLine, view: TextView | OverprintedText, first: number, last: number): void {
  if ('from' in view) return hide(line, view.from(first), view.to(last))
  for (let at = first; at <= last; at += 1) for (const place of view.placesOf(at)) hide(line, place, place + 1)
}

function hideSecrets(search: SecretSearch, line: PrintedLine, view: TextView | OverprintedText): number {
  const { text } = view
  let done = { first: 0, last: -1 } // a line can be full of them, one behind the other
  const onHit = (hit: Hit): boolean => {
    const start = lastPlaces(text, hit.end, hit.length)[0] ?? 0
    if (start >= done.first && hit.end <= done.last) return true
    if (!isAsSpaced(hit, text.slice(start, hit.end + 1))) return false
    const [first, last] = hit.isPart ? wholeRun(text, start, hit.end) : [start, hit.end]
    const isNext = first >= done.first && first <= done.last
    hideRange(line, view, isNext ? done.last + 1 : first, last)
    done = { first: isNext ? done.first : first, last }
    return true
  }
  return search.scan({ text, onHit }).state
}

/** A line that was cut may end in the beginning of a secret. */
function hideBeforeCut(search: SecretSearch, line: PrintedLine, view: TextView): void {
  const text = view.text.slice(0, view.text.lastIndexOf('…'))
  const length = search.begunIn(search.scan({ text, onHit: () => true }).state)
  const places = lastPlaces(text, text.length - 1, length)
  if (length >= WORTH_HIDING) hideRange(line, view, places[0] ?? 0, places.at(-1) ?? 0)
}

function begunIn(line: PrintedLine, view: TextView, count: number): Begun[] {
  return lastPlaces(view.text, view.text.length - 1, count).map((at) => ({ line, from: view.from(at), to: view.to(at) }))
}

/** Goes on with what had begun in the lines before. Gives what has begun by now, if all of this line belongs to it. */
function continueFrom(search: SecretSearch, line: PrintedLine, view: TextView, { end, from }: Before): LineEnd | undefined {
  if (end === undefined) return undefined
  const onHit = (hit: Hit, count: number): boolean => {
    const begun = end.begun.slice(count - hit.length)
    for (const before of begun) hide(before.line, before.from, before.to)
    const start = lastPlaces(view.text, hit.end, count)[0] ?? 0
    hideRange(line, view, start, hit.isPart ? wholeRun(view.text, start, hit.end)[1] : hit.end)
    const [first] = begun
    if (hit.isPart && first) hide(first.line, wholeRun(first.line.raw, first.from, first.from)[0], first.from)
    return true
  }
  const { state, count } = search.scan({ text: view.text, after: { state: end.state, from }, onHit })
  const length = search.begunIn(state)
  if (length <= count) return undefined
  return { state, begun: [...end.begun.slice(count - length), ...begunIn(line, view, count)] }
}

/** In one line white space counts: "in form" is not "inform". */
function isAsSpaced(hit: Hit, text: string): boolean {
  return SPACE.test(text) ? hit.withSpace : hit.withoutSpace
}

/** All of the run that the places are in. */
function wholeRun(text: string, start: number, end: number): [number, number] {
  let [from, to] = [start, end]
  while (from > 0 && OF_A_RUN.test(text.charAt(from - 1))) from -= 1
  while (to < text.length - 1 && OF_A_RUN.test(text.charAt(to + 1))) to += 1
  return [from, to]
}
