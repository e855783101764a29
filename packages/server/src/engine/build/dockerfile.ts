import { parseForeignJson } from '../../lib/foreign-json.ts'
import { type Base, basesIn } from './dockerfile-bases.ts'
import { copiedFrom } from './dockerfile-copies.ts'
import { whyTooLong } from './dockerfile-expansion.ts'
import { type CacheSubPath, cacheSubPathsIn } from './dockerfile-mounts.ts'

/** Much more than anybody writes: reading one takes the time of the server, and a stack can have many. */
export const LONGEST_DOCKERFILE_KIB = 128

/** Something that a build would download, and the line that names it. */
export type Fetch = { readonly line: number; readonly kind: 'url' | 'git' | 'unknown' | 'image'; readonly text: string }
export type DockerfileReading = {
  readonly frontend: string | null
  readonly fetches: readonly Fetch[]
  readonly bases: readonly Base[]
  readonly cacheSubPaths: readonly CacheSubPath[]
  /** An error message, or null. */
  readonly tooLong: string | null
}

/** The arguments of the build, and the platform of the engine (`linux/arm64`). */
type BuildFacts = { readonly buildArgs?: Readonly<Record<string, string>>; readonly platform?: string }
type Line = { readonly number: number; readonly text: string }

// NEL is white space to the builder and not to JavaScript. No two neighbouring parts of an expression may match the same characters: a
// Dockerfile can have a line of a million blanks, and trying every way to divide them would stop the server.
const BLANK = /[\s\u0085]+/
const FRONTEND = /^[\s\u0085]*(?:#|\/\/)[\s\u0085]*syntax[\s\u0085]*=(.*)$/is
const COMMENT = /^[\s\u0085]*(?:#|\/\/|$)/
const JUDGED = /^(?:ONBUILD|ADD|COPY|FROM|RUN)[\s\u0085]/i
const ADD = /^(?:ONBUILD[\s\u0085]+)*ADD[\s\u0085]+(.*)/is
const FROM = /^FROM[\s\u0085]+(?:--[^\s\u0085]+[\s\u0085]+)*([^\s\u0085]+)/i
const HOST_OF_URL = /^https?:\/\/[^/$@?#\\]+\//i
const GIT = /^(?:git|ssh|git\+[a-z]+):\/\/|^[^/@:\s]+@[^/:\s]+:/i
const GIT_OVER_HTTP = /^https?:\/\/[^?#]*\.git(?:[?#]|$)|^https?:\/\/[^#]*#/i

/**
 * What a Dockerfile makes the engine itself download. The parser differs between engine versions (line continuation, here-documents), so
 * all ways to parse the text are considered, and a line that is an instruction in any of them counts.
 */
export function readDockerfile(source: string, build: BuildFacts = {}): DockerfileReading {
  const { buildArgs = {}, platform = '' } = build
  const text = source.replace(/^\uFEFF/, '')
  const lines = text.split(/\r?\n/).map((line, index) => ({ number: index + 1, text: line }))
  const readings = [lines, joined(lines, '\\'), joined(lines, '`')]
  const plain = lines.filter((line) => !COMMENT.test(line.text))
  const trimmed = readings.flat().map(({ number, text: line }) => ({ number, text: withoutBlanks(line, 'both') }))
  const instructions = unique(trimmed.filter((line) => JUDGED.test(line.text)))
  const tooLong = whyTooLong(lines, [plain, ...readings.slice(1)], buildArgs)
  const fetches = instructions.flatMap(({ number, text: line }) => [...fetchesOf(number, line)])
  return {
    frontend: frontendOf(text, lines),
    fetches: unique(fetches),
    bases: tooLong === null ? unique(basesIn({ lines, instructions, given: buildArgs, platform })) : [],
    cacheSubPaths: unique(instructions.flatMap(({ number, text: line }) => cacheSubPathsIn(number, line))),
    tooLong,
  }
}

const unique = <Found extends object>(found: readonly Found[]): Found[] => [
  ...new Map(found.map((one) => [JSON.stringify(one), one])).values(),
]

/** The frontend that parses the rest: named in a comment above the first instruction, or in JSON. */
function frontendOf(text: string, lines: readonly Line[]): string | null {
  if (/^\s*\{/.test(text)) return 'JSON'
  const first = lines.findIndex((line) => !COMMENT.test(line.text))
  const head = first === -1 ? lines : lines.slice(0, first)
  const named = head.flatMap((line) => FRONTEND.exec(line.text)?.[1] ?? []).at(0)
  return named === undefined ? null : withoutBlanks(named, 'both')
}

/** A loop, because an expression such as `\s+$` starts over at every space of a run that is not at the end. */
function withoutBlanks(text: string, where: 'end' | 'both'): string {
  let start = 0
  let end = text.length
  while (end > 0 && BLANK.test(text.charAt(end - 1))) end -= 1
  while (where === 'both' && start < end && BLANK.test(text.charAt(start))) start += 1
  return text.slice(start, end)
}

/** Lines that end with the escape character continue in the next one; comments and empty lines in between are skipped. */
function joined(lines: readonly Line[], escape: string): Line[] {
  const whole: Line[] = []
  let open: Line | null = null
  for (const { number, text } of lines) {
    if (COMMENT.test(text)) continue
    const trimmed = withoutBlanks(text, 'end')
    const goesOn = trimmed.endsWith(escape)
    const line: Line = { number: open?.number ?? number, text: (open?.text ?? '') + (goesOn ? trimmed.slice(0, -1) : text) }
    open = goesOn ? line : null
    if (!goesOn) whole.push(line)
  }
  return open === null ? whole : [...whole, open]
}

function* fetchesOf(line: number, text: string): Generator<Fetch> {
  const image = FROM.exec(text)?.[1]
  if (image !== undefined) yield { line, kind: 'image', text: image }
  for (const from of copiedFrom(text)) yield { line, kind: 'image', text: from }
  const rest = ADD.exec(text)?.[1]
  for (const source of rest === undefined ? [] : sourcesOf(rest)) {
    const kind = kindOf(source)
    if (kind !== 'local') yield { line, kind, text: source }
  }
}

/** Everything except the flags and the target, with quotes and escapes removed as the builder does. */
function sourcesOf(rest: string): string[] {
  const plain = rest.replace(/^(?:--[^\s\u0085]+[\s\u0085]+)+/, '').trim()
  const words = jsonWords(plain) ?? plain.split(BLANK).map((word) => word.replaceAll(/["'\\`]/g, ''))
  return words.slice(0, -1)
}

function jsonWords(text: string): string[] | null {
  if (!text.startsWith('[')) return null
  try {
    const value: unknown = parseForeignJson(text)
    return Array.isArray(value) && value.every((entry) => typeof entry === 'string') ? value : null
  } catch {
    return null // then the builder also splits it into words
  }
}

function kindOf(source: string): Fetch['kind'] | 'local' {
  if (GIT.test(source) || GIT_OVER_HTTP.test(source)) return 'git'
  const dollar = source.indexOf('$')
  if (dollar === -1) return /^https?:\/\//i.test(source) ? 'url' : 'local'
  const before = source.slice(0, dollar).toLowerCase()
  if (HOST_OF_URL.test(before)) return 'url'
  const mayBecomeAddress = ['http://', 'https://', 'git://', 'ssh://', 'git+'].some(
    (scheme) => scheme.startsWith(before) || before.startsWith(scheme),
  )
  return mayBecomeAddress || /^[^/]*[@:]/.test(before) ? 'unknown' : 'local'
}
