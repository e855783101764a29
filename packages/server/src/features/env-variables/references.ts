import { PROJECT_SOURCE, referenceTo, valueParts } from '@berth/contract'

export type Variables = ReadonlyMap<string, string>

/** The variables of a source, for its facts. Those in `resolved` are resolved when read. */
type OwnVariables = { has(key: string): boolean; resolved(): Readonly<Record<string, string>> }

/** Something that references can name: an app, or the project itself. */
export type Source = {
  readonly variables: Variables
  /** Its facts besides its variables, by name. They take precedence, and may throw an `UnresolvedReference`. */
  readonly fact?: (name: string, own: OwnVariables) => string | undefined
}
export type Sources = Pick<ReadonlyMap<string, Source>, 'get'>

/** The resolved variables, and for each of the others why not. Problems contain no part of a value except the reference. */
export type Resolved = { env: Record<string, string>; problems: { key: string; message: string }[] }

export class UnresolvedReference extends Error {
  override readonly name: string = 'UnresolvedReference'
}

/** The problem is in the path to a reference, not in the reference itself: via another path it may resolve. */
class TooFarAway extends UnresolvedReference {
  override readonly name = 'TooFarAway'
}

/** Far deeper than anybody nests by hand; it limits the recursion. */
export const DEEPEST = 50
/**
 * Characters read and written for one environment. An environment may have 128 KiB, so real ones never reach this.
 */
export const MOST_CHARACTERS = 1024 * 1024
/** References resolved for one environment, including failed ones. Each counts once, unless the path to it was too long. */
const MOST_LOOKS = 5000
export const TOO_MUCH_TEXT = 'with its references resolved, it is longer than an environment can be'
const LONGEST_SHOWN = 100

function readable(written: string): string {
  return written.slice(0, LONGEST_SHOWN).replaceAll(/\p{C}/gu, ' ')
}

function shortened(circle: readonly string[]): readonly string[] {
  return circle.length <= 5 ? circle : [...circle.slice(0, 3), '…', ...circle.slice(-1)]
}

/** The limits for one environment. */
function createBudget() {
  let room = MOST_CHARACTERS
  let looks = MOST_LOOKS
  return {
    spend: (characters: number): void => {
      room -= characters
      if (room < 0) throw new UnresolvedReference(TOO_MUCH_TEXT)
    },
    countLook: (): void => {
      looks -= 1
      if (looks < 0) throw new UnresolvedReference(`the environment has more than ${MOST_LOOKS} references to follow`)
    },
  }
}

/** An object whose properties are computed when read. */
function lazyRecord(keys: Iterable<string>, read: (key: string) => string): Record<string, string> {
  const record: Record<string, string> = {}
  for (const key of keys) Object.defineProperty(record, key, { enumerable: true, get: () => read(key) })
  return record
}

/** Resolves values: every reference is replaced by its value. Each is resolved once, even if that fails. */
function createFill(sources: Sources): (value: string) => string {
  const known = new Map<string, string | UnresolvedReference>()
  const lazy = new Map<string, Record<string, string>>()
  const path: string[] = []
  const { spend, countLook } = createBudget()

  function fill(value: string): string {
    if (!value.includes('${{')) return value
    let filled = ''
    for (const part of valueParts(value)) {
      if (part.is === 'unreadable')
        throw new UnresolvedReference(
          `${readable(part.written)} is not a reference: write ${referenceTo('app', 'VARIABLE')}, or $\${{ for the literal text`,
        )
      spend(part.written.length) // before the lookup, which costs something even if nothing is found
      const text = part.is === 'text' ? part.text : look(part.source, part.name)
      spend(text.length) // before it is added, so that text that doubles at each step ends here
      filled += text
    }
    return filled
  }

  function look(source: string, name: string): string {
    const written = referenceTo(source, name)
    const found = known.get(written)
    if (found instanceof UnresolvedReference) throw found
    if (found !== undefined) return found
    const circle = path.indexOf(written)
    if (circle >= 0) throw new UnresolvedReference(`${shortened([...path.slice(circle), written]).join(' → ')} is a circular reference`)
    if (path.length >= DEEPEST) throw new TooFarAway(`${path[0]} leads through more than ${DEEPEST} references`)
    countLook()
    path.push(written)
    try {
      const text = valueOf(source, name, written)
      known.set(written, text)
      return text
    } catch (cause) {
      if (cause instanceof UnresolvedReference && !(cause instanceof TooFarAway)) known.set(written, cause)
      throw cause
    } finally {
      path.pop()
    }
  }

  function valueOf(sourceName: string, name: string, written: string): string {
    const source = sources.get(sourceName)
    if (!source) throw new UnresolvedReference(`${written} names an app that this project does not have`)
    const own = { has: (key: string) => source.variables.has(key), resolved: () => lazily(sourceName, source.variables) }
    const fact = source.fact?.(name, own)
    if (fact !== undefined) return fact
    const value = source.variables.get(name)
    if (value !== undefined) return fill(value)
    const owner = sourceName === PROJECT_SOURCE ? 'the project' : `the app "${sourceName}"`
    throw new UnresolvedReference(`${written} names a variable that ${owner} does not have`)
  }

  /** Each variable is resolved when read: a URL needs only a few of them, and the others may refer back to it. */
  function lazily(sourceName: string, from: Variables): Record<string, string> {
    const record = lazy.get(sourceName) ?? lazyRecord(from.keys(), (key) => look(sourceName, key))
    lazy.set(sourceName, record)
    return record
  }

  return fill
}

/** Replaces every reference by its value. Only `sources` can be referenced. */
export function resolveReferences(variables: Variables, sources: Sources): Resolved {
  const fill = createFill(sources)
  const env: [string, string][] = []
  const problems: Resolved['problems'] = []
  for (const [key, value] of variables) {
    try {
      env.push([key, fill(value)])
    } catch (cause) {
      if (!(cause instanceof UnresolvedReference)) throw cause
      problems.push({ key, message: `The variable ${key} cannot be resolved: ${cause.message}.` })
    }
  }
  return { env: Object.fromEntries(env), problems }
}

/** What values refer to: the names for each app and for `project`. */
export function referencesIn(values: Iterable<string>): Map<string, Set<string>> {
  const named = new Map<string, Set<string>>()
  for (const value of values) {
    if (!value.includes('${{')) continue
    for (const part of valueParts(value)) {
      if (part.is !== 'reference') continue
      const names = named.get(part.source) ?? new Set()
      named.set(part.source, names.add(part.name))
    }
  }
  return named
}
