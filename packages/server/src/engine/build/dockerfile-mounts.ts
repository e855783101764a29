import { readFlags } from './dockerfile-flags.ts'

/** A `RUN --mount` of a path within a cache that other steps may be changing at the same time. */
export type CacheSubPath = { readonly line: number; readonly text: string }

const RUN = /^(?:ONBUILD[\s\u0085]+)*RUN[\s\u0085]+(.*)/is
const MOUNT = /^--mount=(.*)$/is
const ESCAPES = ['\\', '`']
/** Types whose `source` no other step can change. Anything else is a cache, or a variable that may become one. */
const UNSHARED = ['bind', 'tmpfs', 'secret', 'ssh']

export function cacheSubPathsIn(line: number, text: string): CacheSubPath[] {
  const rest = RUN.exec(text)?.[1]
  if (rest === undefined) return []
  const flags = new Set(ESCAPES.flatMap((escape) => readFlags(rest, escape).flags))
  return [...flags].filter((flag) => isCacheSubPath(MOUNT.exec(flag)?.[1] ?? '')).map((flag) => ({ line, text: flag }))
}

/** Commas within quotes split here too: better to find a key too many than one too few. */
function isCacheSubPath(options: string): boolean {
  const pairs = options.replaceAll('"', '').split(',').map(pairOf)
  const hasSource = pairs.some(({ key }) => key === 'source' || key === 'src')
  return hasSource && pairs.some(({ key, value }) => key === 'type' && !UNSHARED.includes(value))
}

function pairOf(field: string): { key: string; value: string } {
  const equals = field.indexOf('=')
  const [key, value] = equals === -1 ? [field, ''] : [field.slice(0, equals), field.slice(equals + 1)]
  return { key: key.trim().toLowerCase(), value: value.toLowerCase() }
}
