// The server is one process: a regular expression that takes quadratic time blocks it for everybody.
// Every pattern in the sources is analysed; one that cannot be analysed counts as slow.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { analyse } from 'scslre'
import ts from 'typescript'
import { repeatsItsSearch } from './repeated-search.mjs'
import { slowButShort } from './slow-but-short.mjs'

/**
 * The text of an expression made of constants of the same file, or undefined.
 * @param {ts.Expression | undefined} node
 * @param {Map<string, ts.Expression>} constants
 * @returns {string | undefined}
 */
function textOf(node, constants) {
  if (!node) return undefined
  if (ts.isStringLiteralLike(node)) return node.text
  if (ts.isIdentifier(node)) return textOf(constants.get(node.text), constants)
  if (ts.isTemplateExpression(node)) {
    const parts = node.templateSpans.map((span) => ({ value: textOf(span.expression, constants), after: span.literal.text }))
    return parts.some(({ value }) => value === undefined)
      ? undefined
      : node.head.text + parts.map((part) => part.value + part.after).join('')
  }
  if (ts.isPropertyAccessExpression(node) && node.name.text === 'source') {
    const pattern = ts.isIdentifier(node.expression) ? constants.get(node.expression.text) : node.expression
    return pattern && ts.isRegularExpressionLiteral(pattern) ? literalParts(pattern.text).source : undefined
  }
  if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression) && node.expression.name.text === 'join') {
    const list = node.expression.expression
    if (!ts.isArrayLiteralExpression(list)) return undefined
    const items = list.elements.map((element) => textOf(element, constants))
    return items.includes(undefined) ? undefined : items.join(textOf(node.arguments[0], constants))
  }
  return undefined
}

/** @param {string} text */
function literalParts(text) {
  const end = text.lastIndexOf('/')
  return { source: text.slice(1, end), flags: text.slice(end + 1) }
}

/**
 * Every pattern of a file. `source` is undefined where it is put together while the program runs.
 * @param {ts.SourceFile} file
 */
function patternsOf(file) {
  /** @type {Map<string, ts.Expression>} */
  const constants = new Map()
  /** @type {{ node: ts.Node, source: string | undefined, flags: string }[]} */
  const found = []
  /** @param {ts.Node} node */
  function visit(node) {
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer) constants.set(node.name.text, node.initializer)
    if (ts.isRegularExpressionLiteral(node)) found.push({ node, ...literalParts(node.text) })
    if ((ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText(file) === 'RegExp') {
      const [pattern, flags] = node.arguments ?? []
      found.push({ node, source: textOf(pattern, constants), flags: textOf(flags, constants) ?? '' })
    }
    // Schemas have theirs as text.
    if (ts.isPropertyAssignment(node) && node.name.getText(file) === 'pattern') {
      const source = textOf(node.initializer, constants)
      if (source !== undefined) found.push({ node, source, flags: 'u' })
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  return found
}

/** @param {string} source @param {string} flags */
function isSlow(source, flags) {
  return repeatsItsSearch(source, flags) || analyse({ source, flags }, { maxReports: 1 }).reports.length > 0
}

const looksAt = (/** @type {string} */ file) =>
  /^packages\/(?:server|contract)\/src\/.+[.]ts$/.test(file) && !/[.](?:test|long)[.]ts$/.test(file)

/**
 * The patterns of the server that take more than linear time, except those listed in `slowButShort`.
 * @param {string} directory
 * @param {string[]} files relative to it
 */
export function slowPatterns(directory, files) {
  return files.filter(looksAt).flatMap((file) => {
    const parsed = ts.createSourceFile(file, readFileSync(path.join(directory, file), 'utf8'), ts.ScriptTarget.Latest, true)
    return patternsOf(parsed).flatMap(({ node, source, flags }) => {
      const pattern = node.getText(parsed)
      if (slowButShort.some((known) => known.file === file && pattern.includes(known.pattern))) return []
      if (source !== undefined && !isSlow(source, flags)) return []
      const line = parsed.getLineAndCharacterOfPosition(node.getStart(parsed)).line + 1
      const instead =
        source === undefined
          ? 'write the pattern as constants of this file, so that it can be analysed'
          : `the time grows with the square of the text: ${pattern}`
      return [{ guard: 'slow-pattern', file, line, instead }]
    })
  })
}
