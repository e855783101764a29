import { mapping, matching, type Reading, refuse, scalar, sequence } from './refuse.ts'
import { fileAt, type LookUp, repositoryPath } from './repository.ts'
import type { PlacedFile } from './stack.ts'

type Content = { readonly blob: string } | { readonly text: string }
export type Contents = ReadonlyMap<string, Content>
/** `name` is what a step of the Dockerfile mounts it with. */
export type BuildSecret = { readonly name: string } & Content
type Context = { env: Readonly<Record<string, string>>; directory: string; lookUp: LookUp; reading: Reading }

const KEYS = ['file', 'environment', 'content', 'external', 'name', 'labels', 'template_driver']
const EXTERNAL =
  "is not allowed: Berth has no external secrets or configs. Put the value into the app's environment, and refer to it with environment"

/** The file's `configs` or `secrets`, each with its content. */
export function contentsOf(value: unknown, at: string, { env, directory, lookUp, reading }: Context): Contents {
  const entries = reading.each(at, Object.entries(mapping(value, at)), ([name, given]): readonly [string, Content] => {
    const here = `${at}.${name}`
    const { file, environment, content, external } = mapping(given, here, KEYS)
    if (external !== undefined && external !== false) return refuse(`${here}.external`, EXTERNAL)
    if (content !== undefined) return [name, { text: scalar(content, `${here}.content`) }]
    if (environment !== undefined) {
      const variable = scalar(environment, `${here}.environment`)
      const text = Object.hasOwn(env, variable) ? env[variable] : undefined
      if (text === undefined) return refuse(`${here}.environment`, `needs the variable ${variable}. Add it to the app's environment`)
      return [name, { text }]
    }
    if (file === undefined) return refuse(here, 'needs file, environment or content')
    const found = fileAt(lookUp, repositoryPath(scalar(file, here), `${here}.file`, directory), `${here}.file`)
    return [name, found.kind === 'file' ? { blob: found.blob } : { text: '' }]
  })
  return new Map(entries)
}

const TARGET = /^(\/[A-Za-z0-9._@+-]+)+$/
const PLAIN = /^[A-Za-z0-9._@+-]{1,255}$/
const KERNEL = /(^|\/)\.{1,2}(\/|$)|^\/(proc|sys|dev)(\/|$)/
const READABLE = 0o444

/** Where a service mounts them. Owners are ignored: everybody in the container can read them. */
export function placesOf(
  value: unknown,
  at: string,
  { contents, directory, reading }: { contents: Contents; directory: string; reading: Reading },
): PlacedFile[] {
  return reading.each(at, sequence(value, at), (entry) => {
    const long = typeof entry === 'object' ? mapping(entry, at, ['source', 'target', 'uid', 'gid', 'mode']) : { source: entry }
    const source = scalar(long['source'], at)
    const content = declared(contents, source, at)
    const target = scalar(long['target'] ?? source, at)
    const path = target.startsWith('/') ? matching(target, at, TARGET) : `${directory}/${matching(target, at, PLAIN)}`
    if (KERNEL.test(path)) refuse(`${at} (${path})`)
    const mode = long['mode'] === undefined ? READABLE : Number.parseInt(matching(long['mode'], `${at}.mode`, /^[0-7]{3,4}$/), 8)
    return { path, mode: (mode & 0o777) | READABLE, ...content }
  })
}

type Declared = { contents: Contents; reading: Reading }

/** The secrets of a build. The target is the name in the Dockerfile; an owner and a mode are for the Dockerfile to say. */
export function buildSecretsOf(value: unknown, at: string, { contents, reading }: Declared): BuildSecret[] {
  return reading.each(at, sequence(value, at), (entry) => {
    const long = typeof entry === 'object' ? mapping(entry, at, ['source', 'target', 'uid', 'gid', 'mode']) : { source: entry }
    const source = scalar(long['source'], at)
    return { name: matching(long['target'] ?? source, at, PLAIN), ...declared(contents, source, at) }
  })
}

function declared(contents: Contents, source: string, at: string): Content {
  return contents.get(source) ?? refuse(`${at} (${source.slice(0, 80)})`, 'is not declared at the top level of the file')
}
