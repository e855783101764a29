import { type Document, isAlias, isMap, isScalar, isSeq, Lexer, parseDocument } from 'yaml'
import { SpecRefused } from '../api/errors.ts'
import { refuse } from './refuse.ts'

const MAX_CHARS = 256 * 1024
const MAX_TOKENS = 60_000
const MAX_VALUES = 20_000
const MAX_DEPTH = 20

/** The text of a compose file as plain values. What would take the YAML library very long is refused before it gets there. */
export function parseComposeYaml(text: string): unknown {
  if (text.length > MAX_CHARS) refuse('the file', 'is too long')
  checkTokens(text)
  try {
    // The library compares every key with every other one; checkSize finds duplicates with a set.
    const document = parseDocument(text, { merge: true, uniqueKeys: false, version: '1.2' })
    const problem = document.errors[0] ?? document.warnings[0]
    if (problem !== undefined) throw problem
    checkSize(document)
    return document.toJS({ maxAliasCount: 200 })
  } catch (cause) {
    if (cause instanceof SpecRefused) throw cause
    return unreadable((cause instanceof Error && cause.message.split('\n')[0]) || 'its aliases do not resolve')
  }
}

function unreadable(why: string): never {
  throw new SpecRefused('the file', `The compose file cannot be read: ${why}`)
}

function checkTokens(text: string): void {
  let count = 0
  for (const _ of new Lexer().lex(text)) {
    count += 1
    if (count > MAX_TOKENS) unreadable(`it has more than ${MAX_TOKENS} tokens.`)
  }
}

/** Counts values as they will be once aliases and merges are replaced by what they stand for. */
function checkSize(document: Document): void {
  const sizes = new Map<string, number>()
  let total = 0

  function add(count: number): void {
    total += count
    if (total > MAX_VALUES) unreadable(`it has more than ${MAX_VALUES} values, with its aliases resolved.`)
  }

  function check(node: unknown, depth: number): void {
    if (depth > MAX_DEPTH) refuse('the file', 'is nested too deeply')
    const before = total
    add(1)
    // An alias within its own anchor has no size yet. Without an anchor at all, the library has already reported it.
    if (isAlias(node)) add(sizes.get(node.source) ?? unreadable(`the alias *${node.source} refers to itself or to nothing.`))
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
