import { PROJECT_SOURCE, referenceTo, valueParts } from '@berth/contract'

export type Variables = ReadonlyMap<string, string>

/** The variables of a source, for its facts. Those of `resolved` are worked out when they are read. */
type OwnVariables = { has(key: string): boolean; resolved(): Readonly<Record<string, string>> }

/** Something that references can name: an app, or the project itself. */
export type Source = {
  readonly variables: Variables
  /** What it has beside its variables, by name. It comes first, and may throw an `UnresolvedReference`. */
  readonly fact?: (name: string, own: OwnVariables) => string | undefined
}
export type Sources = Pick<ReadonlyMap<string, Source>, 'get'>

/** The variables that could be resolved, and for each of the others why not. No problem holds any part of a value but the reference. */
export type Resolved = { env: Record<string, string>; problems: { key: string; message: string }[] }

export class UnresolvedReference extends Error {
  override readonly name: string = 'UnresolvedReference'
}

/** It says something about the way to a reference, not about the reference: by another way it may be resolved. */
class TooFarAway extends UnresolvedReference {
  override readonly name = 'TooFarAway'
}

/** Nobody nests so deep by hand; it keeps the recursion short. */
export const DEEPEST = 50
/** Of what is read and written for one environment, in characters. An environment may be 128 KiB, so this is no limit of its own for real ones. */
export const MOST_CHARACTERS = 1024 * 1024
/** References that are worked out for one environment, also in vain. Each counts once, unless the way to it was too long. */
const MOST_LOOKS = 5000
export const TOO_MUCH_TEXT = 'its references come to more text than an environment can hold'
const LONGEST_SHOWN = 100

function readable(written: string): string {
  return written.slice(0, LONGEST_SHOWN).replaceAll(/\p{C}/gu, ' ')
}

function shortened(circle: readonly string[]): readonly string[] {
  return circle.length <= 5 ? circle : [...circle.slice(0, 3), '…', ...circle.slice(-1)]
}

/** What one environment may cost. */
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

/** An object whose properties are worked out when they are read. */
function lazyRecord(keys: Iterable<string>, read: (key: string) => string): Record<string, string> {
  const record: Record<string, string> = {}
  for (const key of keys) Object.defineProperty(record, key, { enumerable: true, get: () => read(key) })
  return record
}

/** Fills values: every reference is replaced by what it stands for. It is worked out once, also where that fails. */
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
          `${readable(part.written)} is not a reference: write ${referenceTo('app', 'VARIABLE')}, or $\${{ where the text itself is meant`,
        )
      spend(part.written.length) // before it is looked at: looking costs something even where nothing is found
      const text = part.is === 'text' ? part.text : look(part.source, part.name)
      spend(text.length) // before it is added: text that doubles at each step must end here
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
    if (circle >= 0) throw new UnresolvedReference(`${shortened([...path.slice(circle), written]).join(' → ')} goes round in a circle`)
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

  /** Each variable is resolved when it is read: a URL is made of few of them, and the others may lead back to it. */
  function lazily(sourceName: string, from: Variables): Record<string, string> {
    const record = lazy.get(sourceName) ?? lazyRecord(from.keys(), (key) => look(sourceName, key))
    lazy.set(sourceName, record)
    return record
  }

  return fill
}

/** Replaces every reference by what it stands for. Only what is in `sources` can be reached. */
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

/** What values refer to: for each app, and for `project`, the names. */
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
