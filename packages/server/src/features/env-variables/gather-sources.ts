import { DEEPEST, MOST_CHARACTERS, referencesIn, type Source, TOO_MUCH_TEXT, UnresolvedReference, type Variables } from './references.ts'

/** Other apps, and the project. Far above normal use; each costs a few queries. */
const MOST_SOURCES = 50
/** Variables read for one environment: decrypting each takes time, and everybody else waits. */
const MOST_READ = 2000

/** A source before its variables are read. */
export type OpenSource = {
  readonly fact?: Source['fact']
  /** The variables needed for what is referenced. */
  behind(names: Iterable<string>): Iterable<string>
  read(keys: readonly string[]): Promise<Variables>
}

/**
 * Loads what these values refer to, directly or indirectly: only the referenced variables of each app are read. Throws an
 * `UnresolvedReference` if that is more than the limits.
 */
export async function gatherSources(
  from: Variables,
  open: (name: string) => Promise<OpenSource | undefined>,
): Promise<Map<string, Source>> {
  const opened = new Map<string, { source: OpenSource; variables: Map<string, string>; asked: Set<string> }>()
  let room = { variables: MOST_READ, characters: MOST_CHARACTERS }

  async function opening(name: string) {
    const source = await open(name)
    if (!source) return undefined
    if (opened.size === MOST_SOURCES) throw new UnresolvedReference(`it refers, directly or indirectly, to more than ${MOST_SOURCES} apps`)
    const entry = { source, variables: new Map<string, string>(), asked: new Set<string>() }
    opened.set(name, entry)
    return entry
  }

  /** The values that are new. */
  async function read(name: string, names: Iterable<string>): Promise<string[]> {
    const entry = opened.get(name) ?? (await opening(name))
    if (!entry) return []
    const wanted = new Set(entry.source.behind(names)).difference(entry.asked)
    if (wanted.size === 0) return []
    if (wanted.size > room.variables)
      throw new UnresolvedReference(`it refers, directly or indirectly, to more than ${MOST_READ} variables`)
    for (const key of wanted) entry.asked.add(key)
    const found = await entry.source.read([...wanted])
    for (const [key, value] of found) entry.variables.set(key, value)
    const characters = [...found.values()].reduce((sum, value) => sum + value.length, 0)
    room = { variables: room.variables - wanted.size, characters: room.characters - characters }
    if (room.characters < 0) throw new UnresolvedReference(TOO_MUCH_TEXT)
    return [...found.values()]
  }

  let values: string[] = [...from.values()]
  for (let depth = 0; depth < DEEPEST && values.length > 0; depth += 1) {
    const next: string[] = []
    for (const [name, names] of referencesIn(values)) next.push(...(await read(name, names)))
    values = next
  }
  return new Map([...opened].map(([name, { source, variables }]) => [name, { variables, ...(source.fact && { fact: source.fact }) }]))
}
