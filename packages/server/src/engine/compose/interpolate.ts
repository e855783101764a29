import { SpecRefused } from '../api/errors.ts'

const NAME = /^[A-Za-z_][A-Za-z0-9_]*/
const OPERATOR = /^(:?[-?+])/
const MAX_DEPTH = 10

const MAX_CHARS = 1024 * 1024

type Env = Readonly<Record<string, string>>
/** How many more characters the interpolated texts of one file may have. */
export type InterpolationBudget = { left: number }
/** A use of a variable in the file: its default, or that it is required, with the message of the file. */
export type VariableUse = {
  readonly name: string
  readonly fallback: string | null
  readonly isNeeded: boolean
  readonly words: string
  /** Required but not set. */
  readonly isMissing: boolean
}
type Scope = {
  readonly env: Env
  readonly budget: InterpolationBudget
  readonly depth: number
  /** Called for each variable. A missing required one is replaced by a stand-in. */
  readonly onUse?: ((use: VariableUse) => void) | undefined
}

/** For a missing variable: valid as a name, a number and a path, so that the rest of the file can be checked. */
const STAND_IN = '1'

export function newBudget(): InterpolationBudget {
  return { left: MAX_CHARS }
}

/** Supports `$VAR`, `${VAR}`, `${VAR:-default}`, `${VAR:?message}`, `${VAR:+other}` and `$$`, with the app's own variables only. */
export function interpolate(text: string, env: Env, budget = newBudget(), onUse?: Scope['onUse']): string {
  return resolved(text, { env, budget, depth: 0, onUse })
}

function resolved(text: string, scope: Scope): string {
  if (scope.depth > MAX_DEPTH) throw new SpecRefused('$', 'The compose file nests its variables too deeply.')
  let out = ''
  let at = 0
  while (at < text.length) {
    const dollar = text.indexOf('$', at)
    if (dollar === -1) return out + charge(text.slice(at), scope)
    out += charge(text.slice(at, dollar), scope)
    const piece = pieceAt(text, dollar, scope)
    out += piece.value
    at = piece.next
  }
  return out
}

/** Counted while adding, because a short file can use a long variable thousands of times. */
export function charge(piece: string, { budget }: Pick<Scope, 'budget'>): string {
  spend(piece.length, budget)
  return piece
}

export function spend(characters: number, budget: InterpolationBudget): void {
  budget.left -= characters
  if (budget.left < 0)
    throw new SpecRefused(
      '$',
      `The compose file is longer than ${MAX_CHARS / 1024 ** 2} MiB once its variables are filled in, with the env files that it names.`,
    )
}

function pieceAt(text: string, dollar: number, scope: Scope): { value: string; next: number } {
  if (text.startsWith('$', dollar + 1)) return { value: charge('$', scope), next: dollar + 2 }
  if (text.startsWith('{', dollar + 1)) {
    const end = closingBrace(text, dollar + 2)
    return { value: braced(text.slice(dollar + 2, end), scope), next: end + 1 }
  }
  const name = NAME.exec(text.slice(dollar + 1))?.[0]
  if (name === undefined) throw invalid(text)
  scope.onUse?.(plainUse(name))
  return { value: charge(valueOf(name, scope.env) ?? '', scope), next: dollar + 1 + name.length }
}

function braced(inner: string, scope: Scope): string {
  const name = NAME.exec(inner)?.[0]
  if (name === undefined) throw invalid(inner)
  const rest = inner.slice(name.length)
  const value = valueOf(name, scope.env)
  if (rest === '') {
    scope.onUse?.(plainUse(name))
    return charge(value ?? '', scope)
  }
  const operator = OPERATOR.exec(rest)?.[0]
  if (operator === undefined) throw invalid(inner)
  const isSet = value !== undefined && !(operator.startsWith(':') && value === '')
  const behind = rest.slice(operator.length)
  const other = () => resolved(behind, { ...scope, depth: scope.depth + 1 })
  const isNeeded = operator.endsWith('?')
  const fallback = operator.endsWith('-') ? behind : null
  scope.onUse?.({ name, fallback, isNeeded, words: isNeeded ? behind : '', isMissing: isNeeded && !isSet })
  if (operator.endsWith('+')) return isSet ? other() : ''
  if (isSet) return charge(value, scope)
  if (operator.endsWith('-')) return other()
  if (scope.onUse) return charge(STAND_IN, scope)
  throw new SpecRefused(name, `The compose file needs the variable ${name}. Add it to the app's environment.`)
}

export function plainUse(name: string): VariableUse {
  return { name, fallback: null, isNeeded: false, words: '', isMissing: false }
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
