import { SpecRefused } from '../api/errors.ts'
import { type PathPattern, parsePathPattern } from './path-pattern.ts'

/** Which paths of a build context a `.dockerignore` leaves out. Paths are relative, with `/`. The last pattern that matches decides. */
export type IgnoreRules = { isIgnored(path: string): boolean; readonly hasExceptions: boolean }

type Rule = { readonly matches: PathPattern; readonly isException: boolean }

// Every file of the repository is compared with every rule, so the number and the length of the rules are limited.
const MAX_CHARS = 64 * 1024
const MAX_RULES = 1000
const MAX_RULE_CHARS = 1024

export function parseDockerignore(text: string): IgnoreRules {
  if (text.length > MAX_CHARS)
    throw new SpecRefused('.dockerignore', `The .dockerignore file is too long. At most ${MAX_CHARS / 1024} KiB are allowed.`)
  const rules = text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .flatMap(ruleOf)
  if (rules.length > MAX_RULES)
    throw new SpecRefused('.dockerignore', `The .dockerignore file has ${rules.length} rules. At most ${MAX_RULES} are allowed.`)
  return {
    hasExceptions: rules.some(({ isException }) => isException),
    isIgnored: (path) => rules.reduce((ignored, rule) => (rule.isException === ignored && rule.matches(path) ? !ignored : ignored), false),
  }
}

function ruleOf(line: string, index: number): Rule[] {
  const trimmed = line.startsWith('#') ? '' : line.trim()
  if (trimmed.length > MAX_RULE_CHARS)
    throw new SpecRefused(
      '.dockerignore',
      `Line ${index + 1} of the .dockerignore file is too long. A rule may have at most ${MAX_RULE_CHARS} characters.`,
    )
  const isException = trimmed.startsWith('!')
  const pattern = cleaned(isException ? trimmed.slice(1).trim() : trimmed)
  const matches = pattern === '' ? null : parsePathPattern(pattern)
  // An unterminated [class] is ignored, as the engine's own tools do: better to send too much than to fail the build.
  return matches === null ? [] : [{ matches, isException }]
}

function cleaned(pattern: string): string {
  const parts: string[] = []
  for (const part of pattern.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return parts.join('/')
}
