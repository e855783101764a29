const ANSI_COLOURS = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const
export type AnsiColour = (typeof ANSI_COLOURS)[number]
export type AnsiSpan = { text: string; colour?: AnsiColour; bold?: boolean; dim?: boolean; underline?: boolean }

type Look = Omit<AnsiSpan, 'text'>

// oxlint-disable-next-line no-control-regex -- escape sequences begin with a control character
const SEQUENCE = /\u001b(?:\[([0-9;:]*)([A-Za-z])|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\^_])/g
// oxlint-disable-next-line no-control-regex -- what is left of them must not be drawn
const OTHER_CONTROLS = /[\u0000-\u0008\u000b-\u001a\u001c-\u001f\u007f]/g

/** Splits a line into spans of one style. Colours are mapped to our palette; other sequences are dropped. */
export function parseAnsi(line: string): AnsiSpan[] {
  const visible = afterLastReturn(line)
  if (!visible.includes('\u001b')) return [{ text: visible.replace(OTHER_CONTROLS, '') }]
  const spans: AnsiSpan[] = []
  let look: Look = {}
  let from = 0
  const push = (text: string): void => {
    const clean = text.replace(OTHER_CONTROLS, '')
    if (clean !== '') spans.push({ text: clean, ...look })
  }
  for (const match of visible.matchAll(SEQUENCE)) {
    push(visible.slice(from, match.index))
    from = match.index + match[0].length
    if (match[2] === 'm') look = lookAfter(look, match[1] ?? '')
  }
  push(visible.slice(from).replaceAll('\u001b', ''))
  return spans
}

export function stripAnsi(line: string): string {
  return parseAnsi(line)
    .map(({ text }) => text)
    .join('')
}

/** A progress bar redraws its line with carriage returns; what stays on a terminal is the last drawing. */
function afterLastReturn(line: string): string {
  const trimmed = line.endsWith('\r') ? line.slice(0, -1) : line
  return trimmed.slice(trimmed.lastIndexOf('\r') + 1)
}

function lookAfter(look: Look, parameters: string): Look {
  const codes = parameters.split(/[;:]/).map(Number)
  let next = look
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0
    if (code === 38 || code === 48) at += codes[at + 1] === 2 ? 4 : 2
    else next = applyCode(next, code)
  }
  return next
}

function applyCode(look: Look, code: number): Look {
  if (code === 0) return {}
  if (code === 1) return { ...look, bold: true }
  if (code === 2) return { ...look, dim: true }
  if (code === 4) return { ...look, underline: true }
  if (code === 22) return without(look, 'bold', 'dim')
  if (code === 24) return without(look, 'underline')
  if (code === 39) return without(look, 'colour')
  const colour = ANSI_COLOURS[code >= 90 ? code - 90 : code - 30]
  return colour ? { ...look, colour } : look
}

function without(look: Look, ...keys: (keyof Look)[]): Look {
  return Object.fromEntries(Object.entries(look).filter(([key]) => !keys.some((gone) => gone === key)))
}
