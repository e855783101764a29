export type Redirect = { readonly pattern: string; readonly target: string; readonly status: number; readonly isForced: boolean }

const STATUSES = [200, 301, 302, 303, 307, 308, 404, 410]
const MOST_RULES = 500
/** Far longer than any address. Every name in a target is looked for among all names of its path. */
export const LONGEST_RULE = 2000
/** The characters of a visitor's path that may be copied into a Location header: no control character, blank or backslash. */
const SENT = String.raw`\x00-\x20\x5c\x7f`

/** The rules of a `_redirects` file that nginx can implement, and notes about the others. */
export function readRedirects(text: string): { rules: Redirect[]; notes: string[] } {
  const rules: Redirect[] = []
  const skipped: number[] = []
  for (const [index, line] of text.split('\n').entries()) {
    const words = line
      .slice(0, LONGEST_RULE)
      .trim()
      .split(/[ \t]+/)
    if (words[0] === undefined || words[0] === '' || words[0].startsWith('#')) continue
    const rule = rules.length < MOST_RULES && line.length <= LONGEST_RULE ? ruleOf(words) : undefined
    if (rule === undefined) skipped.push(index + 1)
    else rules.push(rule)
  }
  const shown = skipped.slice(0, 5).join(', ') + (skipped.length > 5 ? ` and ${skipped.length - 5} more` : '')
  const notes =
    skipped.length === 0 ? [] : [`_redirects: line ${shown} is not supported (only paths, :names, a * at the end and a status are).`]
  return { rules, notes }
}

function ruleOf([from = '', to = '', given = '301', ...more]: readonly string[]): Redirect | undefined {
  const isForced = given.endsWith('!')
  const status = Number(isForced ? given.slice(0, -1) : given)
  const isTarget = to.startsWith('/') || /^https?:\/\//.test(to)
  if (more.length > 0 || !from.startsWith('/') || !isTarget || !STATUSES.includes(status)) return undefined
  if (status === 200 && !to.startsWith('/')) return undefined
  const isSent = status >= 300 && status < 400
  const names: string[] = []
  const parts = from.split('/').map((part, index, all) => {
    if (part === '*' && index === all.length - 1) return named(names, 'splat', isSent ? `[^${SENT}]*` : '.*')
    const name = /^:([A-Za-z][A-Za-z0-9_]{0,28})$/.exec(part)?.[1]
    return name === undefined ? escapePattern(part) : named(names, name, isSent ? `[^/${SENT}]+` : '[^/]+')
  })
  if (parts.some((part) => part.includes('*') && !part.startsWith('(?<'))) return undefined
  // nginx does not start if two groups have the same name, or a name over 32 characters
  if (new Set(names).size < names.length || parts.some((part) => /^:[A-Za-z]/.test(part))) return undefined
  const path = parts.join('/')
  // "/docs/*" is for "/docs" too
  const splat = names.includes('splat') && from.endsWith('/*') ? `/${parts.at(-1)}` : ''
  const pattern = splat === '' ? `^${path}/?$` : `^${path.slice(0, -splat.length)}(?:${splat})?$`
  return { pattern: pattern.replace('//?$', '/?$'), target: targetOf(to, names), status, isForced }
}

function named(names: string[], name: string, pattern: string): string {
  names.push(name)
  return `(?<p_${name}>${pattern})`
}

function targetOf(to: string, names: readonly string[]): string {
  const parts = to.split(/(:[A-Za-z][A-Za-z0-9_]*)/)
  return parts
    .map((part) => (names.includes(part.slice(1)) && part.startsWith(':') ? `\${p_${part.slice(1)}}` : escapeValue(part)))
    .join('')
}

export function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\"]/g, String.raw`\$&`)
}

/** For a text in double quotes: nginx knows no way to write a dollar sign, and no address needs one. */
function escapeValue(text: string): string {
  return text.replaceAll('$', '%24').replace(/["\\]/g, String.raw`\$&`)
}
