import { SpecRefused } from '../api/errors.ts'
import { charge, type InterpolationBudget, interpolate, newBudget, spend } from './interpolate.ts'
import { mapping, refuse, scalar } from './refuse.ts'
import { type LookUp, repositoryPath } from './repository.ts'

type Env = Readonly<Record<string, string>>

const LINE = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_.-]{0,255})\s*(?:[=:]\s?(.*))?$/

/** What a line costs besides its characters: a file of a megabyte can have half a million lines. */
const LINE_COST = 20

/** The variables of a `.env` file. Lines that are not variables are ignored, as other programs do, but they count. */
export function parseEnvFile(text: string, env: Env, budget = newBudget()): Record<string, string> {
  const found: Record<string, string> = {}
  const known: Record<string, string> = { ...env }
  spend(text.length, budget) // before it is split, which is most of the work
  for (const line of text.split(/\r?\n/)) {
    spend(LINE_COST, budget)
    const [, key, given] = /^\s*(#|$)/.test(line) ? [] : (LINE.exec(line) ?? [])
    if (key === undefined) continue
    const value = given === undefined ? ofApp(key, env, budget) : valueOf(given.trim(), known, budget)
    if (value === undefined) continue
    found[key] = value
    known[key] = value
  }
  return found
}

function ofApp(key: string, env: Env, budget: InterpolationBudget): string | undefined {
  const value = Object.hasOwn(env, key) ? env[key] : undefined
  return value === undefined ? undefined : charge(value, { budget })
}

function valueOf(text: string, env: Env, budget: InterpolationBudget): string {
  const single = /^'([^']*)'/.exec(text)?.[1]
  if (single !== undefined) return charge(single, { budget })
  const double = /^"((?:[^"\\]|\\.)*)"/.exec(text)?.[1]
  if (double !== undefined)
    return filled(
      double.replaceAll(/\\([nrt"\\])/g, (_, letter: string) => ESCAPES[letter] ?? letter),
      env,
      budget,
    )
  return filled(withoutComment(text).trim(), env, budget)
}

function withoutComment(text: string): string {
  for (let at = text.indexOf('#'); at >= 0; at = text.indexOf('#', at + 1)) if (/^\s?$/.test(text.charAt(at - 1))) return text.slice(0, at)
  return text
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }

/** A dollar sign that does not start a variable is kept, because many passwords contain one. */
function filled(text: string, env: Env, budget: InterpolationBudget): string {
  try {
    return interpolate(text, env, budget)
  } catch (cause) {
    if (cause instanceof SpecRefused && budget.left >= 0) return text
    throw cause
  }
}

/** For all services together. A plan is refused if it has a tenth of it. */
const MOST_GIVEN = 100_000

/** The env files of one plan. Each is parsed once, even if several services use it. */
export function createEnvFiles(env: Env, budget: InterpolationBudget) {
  const known = new Map<string, Record<string, string>>()
  let left = MOST_GIVEN

  /** A service may name the same file many times, and many services may. */
  function given(found: Env, at: string): Env {
    if (left >= 0) left -= Object.keys(found).length
    if (left >= 0) return found
    return refuse(at, `gives the services more than ${MOST_GIVEN.toLocaleString('en')} variables, counted for each service. Use fewer`)
  }

  return {
    appsOwn: (at: string): Env => given(env, at),
    variablesIn(path: string, text: string, at: string): Env {
      const found = known.get(path) ?? parseEnvFile(text, env, budget)
      known.set(path, found)
      return given(found, at)
    },
  }
}

export type EnvFiles = ReturnType<typeof createEnvFiles>
type Context = { envFiles: EnvFiles; directory: string; lookUp: LookUp; note: (sentence: string) => void }

const MOST_FILES = 20

/** The variables of `env_file`. Most repositories do not commit the file; then the service gets the app's own variables instead. */
export function envFilesOf(value: unknown, at: string, context: Context): Record<string, string> {
  const entries: readonly unknown[] = Array.isArray(value) ? value : [value]
  if (entries.length > MOST_FILES) refuse(at, `has more than ${MOST_FILES} entries`)
  return Object.assign({}, ...entries.map((entry) => envFileOf(entry, at, context))) as Record<string, string> // each is one
}

function envFileOf(value: unknown, at: string, { envFiles, directory, lookUp, note }: Context): Env {
  const long = typeof value === 'object' ? mapping(value, at, ['path', 'required', 'format']) : { path: value }
  const normal = repositoryPath(scalar(long['path'], at), at, directory)
  const entry = lookUp(normal)
  if (entry.kind === 'refused') return refuse(at, entry.why)
  if (entry.kind === 'file')
    return entry.text === null
      ? refuse(at, `names ${normal}, which is not a text file of at most 1 MiB`)
      : envFiles.variablesIn(normal, entry.text, at)
  if (entry.kind === 'directory') return refuse(at, `names ${normal}, which is a directory`)
  if (entry.kind === 'unread') return {}
  note(`${at}: ${normal} is not in the repository, so the service gets the app's own variables instead.`)
  return envFiles.appsOwn(at)
}
