/** Which paths of a build context a `.dockerignore` leaves out. Paths are relative, with `/`. The last pattern that matches decides. */
export type IgnoreRules = { isIgnored(path: string): boolean; readonly hasExceptions: boolean }

type Rule = { readonly matches: RegExp; readonly isException: boolean }

export function parseDockerignore(text: string): IgnoreRules {
  const rules = text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .flatMap(ruleOf)
  return {
    hasExceptions: rules.some(({ isException }) => isException),
    isIgnored: (path) =>
      rules.reduce((ignored, rule) => (rule.isException === ignored && rule.matches.test(path) ? !ignored : ignored), false),
  }
}

function ruleOf(line: string): Rule[] {
  const trimmed = line.startsWith('#') ? '' : line.trim()
  const isException = trimmed.startsWith('!')
  const pattern = cleaned(isException ? trimmed.slice(1).trim() : trimmed)
  if (pattern === '') return []
  try {
    // A pattern that matches a directory takes everything below it along.
    return [{ matches: new RegExp(`^${expressionOf(pattern)}(?:/.*)?$`, 's'), isException }]
  } catch {
    return [] // an unfinished [class]: like the engine's own tools, better to send too much than to stop the build
  }
}

function cleaned(pattern: string): string {
  const parts: string[] = []
  for (const part of pattern.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return parts.join('/')
}

function expressionOf(pattern: string): string {
  let expression = ''
  for (let at = 0; at < pattern.length; at += 1) {
    const rest = pattern.slice(at)
    const special = /^(?:\*\*\/?|\*|\?|\[\^?[^\]/]+\]|\\.)/.exec(rest)?.[0]
    if (special === undefined) {
      expression += rest.charAt(0).replace(/[.+^${}()|[\]\\]/, '\\$&')
      continue
    }
    expression += translated(special)
    at += special.length - 1
  }
  return expression
}

function translated(special: string): string {
  if (special === '**/') return '(?:.*/)?'
  if (special === '**') return '.*'
  if (special === '*') return '[^/]*'
  if (special === '?') return '[^/]'
  return special
}
