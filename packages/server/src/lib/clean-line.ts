/* oxlint-disable no-control-regex -- control characters are what this file is about */

const LONGEST_LINE = 16 * 1024
const LONGEST_PRINTED = 4 * LONGEST_LINE
const CUT_MARK = ' … [line cut]'

// A terminal executes these inside an escape sequence and then continues it (ECMA-48; CAN and SUB end the sequence instead).
const INSIDE = '\\u0000-\\u0017\\u0019\\u001c-\\u001f\\u007f'
const CSI = `(?:\\u001b[${INSIDE}]*\\[|\\u009b)[0-?${INSIDE}]*[ -/${INSIDE}]*[@-~]?`
// Window titles, links and device strings, including their content, up to their end or the end of the line.
const STRING = `(?:\\u001b[${INSIDE}]*[\\]PX^_]|[\\u0090\\u0098\\u009d-\\u009f])[^\\u0007\\u001b\\u009c]*(?:\\u0007|\\u001b\\\\|\\u009c)?`
const OTHER_ESCAPE = `\\u001b[${INSIDE}]*[ -/]*[0-~]?`
// Tabs are kept. Bidirectional overrides would show a line in a different order from the one we search.
const CONTROL = '[\\u0000-\\u0008\\u000a-\\u001f\\u007f-\\u009f\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069]'
const TAG_CHARACTER = '[\\udb40-\\udb43][\\udc00-\\udfff]'

/** Everything in a printed line that is not text. */
export const NOT_TEXT = new RegExp([CSI, STRING, OTHER_ESCAPE, CONTROL, TAG_CHARACTER].join('|'), 'g')
const MAY_HOLD_MORE_THAN_TEXT = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069\udb40-\udb43]/
const COLOUR = /^\u001b\[(?![0-9;]*[0-9]{4})[0-9;]{0,32}m$/
const ANY_COLOUR = /\u001b\[[0-9;]*m/g
const HALF_A_COLOUR = /\u001b[^m\u001b]*$/

/** Most lines are clean, and checking is much cheaper than cleaning. */
export function isPlainText(line: string): boolean {
  return !MAY_HOLD_MORE_THAN_TEXT.test(line)
}

export function isColour(sequence: string): boolean {
  return COLOUR.test(sequence)
}

/** A clean line for places that show no colours. */
export function withoutColours(line: string): string {
  return line.replaceAll(ANY_COLOUR, '')
}

/** A very long line is cut, with a mark at the end. */
export function cutLine(line: string): string {
  return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE).replace(HALF_A_COLOUR, '').toWellFormed()}${CUT_MARK}` : line
}

/** The part of a printed line that is processed; cleaning may make it much shorter. */
export function printedPart(line: string): string {
  return line.length > LONGEST_PRINTED ? line.slice(0, LONGEST_PRINTED) + CUT_MARK : line
}

/** One clean line of text. Colours are kept; everything that could move the cursor, rename the window or hide text is removed. */
export function cleanLine(printed: string): string {
  const line = printedPart(printed)
  return cutLine(isPlainText(line) ? line : line.replaceAll(NOT_TEXT, (found) => (isColour(found) ? found : '')))
}
