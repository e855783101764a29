import { type Document, isAlias, isMap, isScalar, isSeq, Lexer, LineCounter, parseDocument } from 'yaml'
import { SpecRefused } from '../api/errors.ts'
import { refuse } from './refuse.ts'

const MAX_CHARS = 256 * 1024
const MAX_TOKENS = 60_000
const MAX_VALUES = 20_000
const MAX_DEPTH = 20
/** The library looks for each among all that have an anchor. */
const MAX_ALIASES = 500
/** Some of the library's messages quote the file. */
const LONGEST_QUOTE = 300

/** The text of a compose file as plain values. What would take the YAML library very long is refused before it gets there. */
export function parseComposeYaml(text: string): unknown {
  if (text.length > MAX_CHARS) refuse('the file', 'is too long')
  checkTokens(text)
  try {
    const document = documentOf(text)
    checkSize(document)
    return document.toJS({ maxAliasCount: 200 })
  } catch (cause) {
    if (cause instanceof SpecRefused) throw cause
    return unreadable((cause instanceof Error && cut(cause.message)) || 'its aliases do not resolve')
  }
}

/** The library would quote the line of every mistake, and each would have a stack; a line can have a hundred thousand of them. */
function documentOf(text: string): Document {
  const lineCounter = new LineCounter()
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    // The library compares every key with every other one; checkSize finds duplicates with a set.
    const document = parseDocument(text, { merge: true, uniqueKeys: false, version: '1.2', prettyErrors: false, lineCounter })
    const [problem = document.warnings[0]] = document.errors
    if (problem === undefined) return document
    const { line, col } = lineCounter.linePos(problem.pos[0])
    return unreadable(`${cut(problem.message)} at line ${line}, column ${col}.`)
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

function cut(text: string): string {
  return text.split('\n')[0]?.slice(0, LONGEST_QUOTE) ?? ''
}

function unreadable(why: string): never {
  throw new SpecRefused('the file', `The compose file cannot be read: ${why}`)
}

function checkTokens(text: string): void {
  let count = 0
  let depth = 0
  for (const token of new Lexer().lex(text)) {
    count += 1
    if (count > MAX_TOKENS) unreadable(`it has more than ${MAX_TOKENS} tokens.`)
    if (token === '[' || token === '{') depth += 1
    if (token === ']' || token === '}') depth -= 1
    if (depth > MAX_DEPTH) refuse('the file', 'is nested too deeply')
  }
}

/** Counts values as they will be once aliases and merges are replaced by what they stand for. */
function checkSize(document: Document): void {
  const sizes = new Map<string, number>()
  let total = 0
  let aliases = 0

  function add(count: number): void {
    total += count
    if (total > MAX_VALUES) unreadable(`it has more than ${MAX_VALUES} values, with its aliases resolved.`)
  }

  function check(node: unknown, depth: number): void {
    if (depth > MAX_DEPTH) refuse('the file', 'is nested too deeply')
    const before = total
    add(1)
    // An alias within its own anchor has no size yet. Without an anchor at all, the library has already reported it.
    if (isAlias(node)) {
      aliases += 1
      if (aliases > MAX_ALIASES) unreadable(`it has more than ${MAX_ALIASES} aliases.`)
      add(sizes.get(node.source) ?? unreadable(`the alias *${cut(node.source)} refers to itself or to nothing.`))
    }
    if (isSeq(node)) for (const item of node.items) check(item, depth + 1)
    if (isMap(node)) {
      const keys = new Set<string>()
      for (const { key, value } of node.items) {
        checkKey(key, keys)
        check(value, depth + 1)
      }
    }
    if ((isSeq(node) || isMap(node) || isScalar(node)) && node.anchor !== undefined) sizes.set(node.anchor, total - before)
  }

  check(document.contents, 0)
}

function checkKey(key: unknown, keys: Set<string>): void {
  if (!isScalar(key)) unreadable('it has a key that is not a string.')
  // The merge key << is a symbol here and may be repeated.
  if (typeof key.value === 'symbol') return
  const name = String(key.value)
  if (keys.has(name)) unreadable(`the key ${name.slice(0, 80)} appears twice in the same mapping.`)
  keys.add(name)
}
