import { SpecRefused } from './errors.ts'

const NAME = /^[A-Za-z_][A-Za-z0-9_]*/
const OPERATOR = /^(:?[-?+])/
const MAX_DEPTH = 10

type Env = Readonly<Record<string, string>>

/** `$VAR`, `${VAR}`, `${VAR:-default}`, `${VAR:?message}`, `${VAR:+other}` and `$$`, from the app's own variables and nothing else. */
export function interpolate(text: string, env: Env, depth = 0): string {
  if (depth > MAX_DEPTH) throw new SpecRefused('$', 'The compose file nests its variables too deeply.')
  let out = ''
  let at = 0
  while (at < text.length) {
    const dollar = text.indexOf('$', at)
    if (dollar === -1) return out + text.slice(at)
    out += text.slice(at, dollar)
    const piece = pieceAt(text, dollar, { env, depth })
    out += piece.value
    at = piece.next
  }
  return out
}

function pieceAt(text: string, dollar: number, scope: { env: Env; depth: number }): { value: string; next: number } {
  const after = text.slice(dollar + 1)
  if (after.startsWith('$')) return { value: '$', next: dollar + 2 }
  if (after.startsWith('{')) {
    const end = closingBrace(text, dollar + 2)
    return { value: braced(text.slice(dollar + 2, end), scope), next: end + 1 }
  }
  const name = NAME.exec(after)?.[0]
  if (name === undefined) throw invalid(text)
  return { value: valueOf(name, scope.env) ?? '', next: dollar + 1 + name.length }
}

function braced(inner: string, { env, depth }: { env: Env; depth: number }): string {
  const name = NAME.exec(inner)?.[0]
  if (name === undefined) throw invalid(inner)
  const rest = inner.slice(name.length)
  const value = valueOf(name, env)
  if (rest === '') return value ?? ''
  const operator = OPERATOR.exec(rest)?.[0]
  if (operator === undefined) throw invalid(inner)
  const isSet = value !== undefined && !(operator.startsWith(':') && value === '')
  const other = () => interpolate(rest.slice(operator.length), env, depth + 1)
  if (operator.endsWith('+')) return isSet ? other() : ''
  if (isSet) return value
  if (operator.endsWith('-')) return other()
  throw new SpecRefused(name, `The compose file needs the variable ${name}. Add it to the app's environment.`)
}

function closingBrace(text: string, from: number): number {
  let open = 1
  for (let at = from; at < text.length; at += 1) {
    if (text.startsWith('${', at)) open += 1
    if (text[at] === '}') open -= 1
    if (open === 0) return at
  }
  throw invalid(text)
}

function valueOf(name: string, env: Env): string | undefined {
  return Object.hasOwn(env, name) ? env[name] : undefined
}

function invalid(text: string): SpecRefused {
  return new SpecRefused('$', `The compose file has a variable that cannot be read: ${text.slice(0, 60)}. Write $$ for a dollar sign.`)
}
