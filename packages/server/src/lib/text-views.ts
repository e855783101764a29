import { isPlainText, NOT_TEXT } from './clean-line.ts'

/** A way to read a line, and the position in the line of each of its characters. */
export type TextView = { readonly text: string; readonly from: (at: number) => number; readonly to: (at: number) => number }
/** A way to read a line in another order: several characters may have been printed at one position. */
export type OverprintedText = { readonly text: string; readonly placesOf: (at: number) => readonly number[] }

/** White space that can be seen: JavaScript counts a zero-width character as white space. */
export const SPACE = /[^\S\ufeff]/

/** The text without control sequences, as a log shows it. */
export function visibleText(line: string): TextView {
  if (isPlainText(line)) return { text: line, from: (at) => at, to: (at) => at + 1 }
  const view = createPieces()
  let next = 0
  for (const { 0: found, index } of line.matchAll(NOT_TEXT)) {
    view.add(line.slice(next, index), next)
    next = index + found.length
  }
  view.add(line.slice(next), next)
  return view.done()
}

// oxlint-disable-next-line no-control-regex -- what moves a cursor
const MAY_GO_BACK = /[\r\b]|(?:\u001b\[|\u009b)\d*[CDG]/

/**
 * What a terminal shows in the end, if a line overwrites itself with carriage returns, backspaces or cursor moves. Undefined if it does
 * not.
 */
export function overprintedText(line: string): OverprintedText | undefined {
  if (!MAY_GO_BACK.test(line)) return undefined
  const columns: number[][] = []
  let column = 0
  let next = 0
  const print = (end: number) => {
    for (let at = next; at < end; at += 1) (columns[column++] ??= []).push(at)
  }
  for (const { 0: found, index } of line.matchAll(NOT_TEXT)) {
    print(index)
    next = index + found.length
    column = Math.min(Math.max(0, columnAfter(found, column)), line.length)
  }
  print(line.length)
  const text = Array.from(columns, (places) => line[places?.at(-1) ?? -1] ?? ' ').join('') // a column may have been skipped
  return { text, placesOf: (at) => columns[at] ?? [] }
}

function columnAfter(control: string, column: number): number {
  if (control === '\r') return 0
  if (control === '\b') return column - 1
  // oxlint-disable-next-line no-control-regex -- as above
  const move = /^(?:\u001b\[|\u009b)(\d*)([CDG])$/.exec(control)
  if (move === null) return column
  const count = Math.max(1, Number(move[1]))
  if (move[2] === 'G') return count - 1
  return move[2] === 'C' ? column + count : column - count
}

const ESCAPED = /%[0-9a-f]{2}(?:%[89ab][0-9a-f])*|\\(?:u\{[0-9a-f]{1,6}\}|u[0-9a-f]{4}|x[0-9a-f]{2}|[^])/gi
const ESCAPED_OR_PLUS = new RegExp(`${ESCAPED.source}|\\+`, 'gi')
const NAMED: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', v: '\v', 0: '\0' }

/** The text with the escapes of URLs, JSON, programming languages and shells resolved. Undefined if there are none. */
export function decodedText(view: TextView, options: { plusIsSpace: boolean }): TextView | undefined {
  const { text } = view
  if (!text.includes('%') && !text.includes('\\') && !(options.plusIsSpace && text.includes('+'))) return undefined
  const decoded = createPieces()
  let next = 0
  for (const { 0: found, index } of text.matchAll(options.plusIsSpace ? ESCAPED_OR_PLUS : ESCAPED)) {
    decoded.add(text.slice(next, index), next)
    next = index + found.length
    decoded.add(unescaped(found), index, found.length)
  }
  decoded.add(text.slice(next), next)
  const { text: all, from, to } = decoded.done()
  return { text: all, from: (at) => view.from(from(at)), to: (at) => view.to(to(at) - 1) }
}

/** One character, or none. */
function unescaped(escape: string): string {
  if (escape === '+') return ' '
  if (escape.startsWith('%')) return Buffer.from(escape.replaceAll('%', ''), 'hex').toString('utf8')
  const letter = escape.charAt(1)
  if (escape.length === 2) return NAMED[letter] ?? letter
  const code = Number.parseInt(escape.slice(2).replaceAll(/[{}]/g, ''), 16)
  return code > 0x10_ff_ff ? '' : String.fromCodePoint(code)
}

/** A text composed of pieces of another one. A piece with a length covers that many characters there. */
function createPieces() {
  const pieces: { at: number; start: number; length: number | undefined }[] = []
  let text = ''

  function add(piece: string, start: number, length?: number): void {
    if (piece === '') return
    pieces.push({ at: text.length, start, length })
    text += piece
  }

  function pieceAt(at: number): { at: number; start: number; length: number | undefined } {
    let [low, high] = [0, pieces.length - 1]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((pieces[middle]?.at ?? 0) <= at) low = middle
      else high = middle - 1
    }
    return pieces[low] ?? { at: 0, start: 0, length: undefined }
  }

  function from(at: number): number {
    const piece = pieceAt(at)
    return piece.length === undefined ? piece.start + at - piece.at : piece.start
  }

  function to(at: number): number {
    const piece = pieceAt(at)
    return piece.length === undefined ? piece.start + at - piece.at + 1 : piece.start + piece.length
  }

  return { add, done: (): TextView => ({ text, from, to }) }
}
