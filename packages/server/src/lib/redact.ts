import { printedPart, withoutColours } from './clean-line.ts'
import {
  createLineRedaction,
  hide,
  type LineEnd,
  type PossibleStart,
  type PrintedLine,
  SHORTEST_PREFIX,
  shownLine,
  stepOf,
} from './line-redaction.ts'
import { formsOf } from './secret-forms.ts'
import { createSecretSearch } from './secret-search.ts'
import { createYieldTurn } from './yield-turn.ts'

/** How long a line that ends with what may be the beginning of a secret waits for the next line. */
const HOLD_MS = 200
const MOST_HELD = 64
const MOST_SOURCES = 64
const TURN_MS = 5

type LineRedaction = ReturnType<typeof createLineRedaction>
type Pass<Tag> = ReturnType<typeof createPass<Tag>>

export type RedactedStream<Tag> = {
  push(line: string, tag: Tag, source?: string): void
  /** Releases the lines held back; anything that may be the beginning of a secret is masked. */
  flush(): void
}

/** Redacts the lines of one log, in order. A line is held back while its end may still become part of a secret. */
function createPass<Tag>(redact: LineRedaction, release: (line: string, tag: Tag) => void) {
  /** Partial matches at the end of the last line of each source, and of each step of a build. */
  const ends = new Map<string, LineEnd>()
  const held: { line: PrintedLine; tag: Tag }[] = []

  /** Characters at the ends of held lines that the next lines may turn into a secret. */
  function undecided(): PossibleStart[] {
    const all = [...ends.values()].filter(({ begun }) => begun.length >= SHORTEST_PREFIX).flatMap(({ begun }) => begun)
    return all.filter(({ line, from }) => line.hidden?.[from] !== 1)
  }

  function releaseAll(): void {
    for (const { line, tag } of held.splice(0)) release(shownLine(line), tag)
  }

  function releaseDecided(): void {
    const waiting = new Set(undecided().map(({ line }) => line))
    const first = held.findIndex(({ line }) => waiting.has(line))
    for (const { line, tag } of held.splice(0, first === -1 ? held.length : first)) release(shownLine(line), tag)
  }

  function push(raw: string, tag: Tag, source = ''): void {
    const line = { raw: printedPart(raw), hidden: undefined }
    const step = stepOf(raw)
    const places = [source, `${source} ${step}`]
    const end = redact(line, ends.size === 0 ? [] : places.map((place, index) => ({ end: ends.get(place), from: index * step.length })))
    for (const place of places) {
      if (end !== undefined) ends.set(place, end)
      else if (ends.size > 0) ends.delete(place)
    }
    const isDecided = end === undefined || end.begun.length < SHORTEST_PREFIX
    if (isDecided && held.length === 0) return release(shownLine(line), tag)
    held.push({ line, tag })
    releaseDecided()
    if (held.length > MOST_HELD || ends.size > MOST_SOURCES) flush()
    if (ends.size > MOST_SOURCES) ends.clear()
  }

  function flush(): void {
    if (held.length === 0) return
    for (const { line, from, to } of undecided()) hide(line, from, to)
    releaseAll()
  }

  return { push, flush, end: releaseAll, isHolding: () => held.length > 0 }
}

/** Releases lines that have waited too long. */
function createStream<Tag>(lines: Pass<Tag>): RedactedStream<Tag> {
  let timer: NodeJS.Timeout | undefined
  function wait(): void {
    if (lines.isHolding()) timer ??= setTimeout(flush, HOLD_MS)
    else stopWaiting()
  }
  function stopWaiting(): void {
    clearTimeout(timer)
    timer = undefined
  }
  function flush(): void {
    lines.flush()
    stopWaiting()
  }
  return {
    push: (line, tag, source) => {
      lines.push(line, tag, source)
      wait()
    },
    flush,
  }
}

/**
 * Makes printed text safe to show: removes control characters, and hides these values however they were printed: in colours, over several
 * lines, escaped or encoded. The names of our own images are always hidden.
 */
export function createRedactor(secrets: Iterable<string>) {
  const forms = formsOf(secrets)
  const search = forms.length === 0 ? undefined : createSecretSearch(forms)
  const redact = createLineRedaction(search, { hasSpaces: forms.some(({ isSpaced }) => isSpaced) })

  const stream = <Tag>(release: (line: string, tag: Tag) => void) => createStream(createPass(redact, release))

  function createCollector() {
    const shown: string[] = []
    const pass = createPass<undefined>(redact, (line) => shown.push(line))
    const end = (): string[] => {
      pass.end()
      return shown
    }
    return { push: (line: string) => pass.push(line, undefined), end }
  }

  /** Consecutive lines, with nothing after them. */
  function lines(all: readonly string[]): string[] {
    const collector = createCollector()
    for (const line of all) collector.push(line)
    return collector.end()
  }

  /** The same for many lines, without holding up everything else meanwhile. */
  async function linesInTurns(all: readonly string[]): Promise<string[]> {
    const collector = createCollector()
    const yieldTurn = createYieldTurn(TURN_MS)
    for (const line of all) {
      await yieldTurn()
      collector.push(line)
    }
    return collector.end()
  }

  /** For error reasons and descriptions, which have no colours. */
  const text = (printed: string): string => lines(printed.split('\n')).map(withoutColours).join('\n')

  return { stream, lines, linesInTurns, text }
}

export type Redactor = ReturnType<typeof createRedactor>
