import path from 'node:path'
import { SpecRefused } from '../api/errors.ts'
import { mergedService } from './merge-services.ts'
import { rebased } from './rebase.ts'
import { mapping, matching, type Reading, refuse, scalar, sequence } from './refuse.ts'
import { type Access, fileAt, repositoryPath } from './repository.ts'

type Place = Access & { readonly directory: string; readonly reading: Reading }
type Service = Readonly<Record<string, unknown>>
type File = Readonly<Record<string, unknown>>

/** Far more than a project needs. All files are parsed again whenever one of them names another. */
const MOST_FILES = 5
const MOST_CHARACTERS = 256 * 1024
const DEEPEST = 10
/** Files may include the same file, and each time all that it includes is read again. */
const MOST_INCLUDES = 50
/** More than these cannot run, and each may extend a long one. */
export const MOST_SERVICES = 30
/** Counted at every merge, because a few lines can extend a long service many times. */
const MOST_VALUES = 40_000
const LISTS = ['services', 'volumes', 'networks', 'configs', 'secrets']
const FILE_NAME = /^[A-Za-z0-9._@+/ -]{1,255}$/

/** A compose file merged with the files of the repository that it includes or extends. Nothing is fetched from elsewhere. */
export function withOtherFiles(source: unknown, place: Place): unknown {
  const top = place.reading.attempt(() => mapping(source, 'the file')) ?? {}
  const services = Object.values(quietMapping(top['services'])).map(quietMapping)
  if (top['include'] === undefined && services.every((service) => service['extends'] === undefined)) return source
  const load = createLoad(place)
  const whole = createIncluded(load, place.reading)(top, [])
  const named = mapping(whole['services'], 'services')
  if (Object.keys(named).length > MOST_SERVICES) return whole // which is refused for that
  const merge = createMerge()
  const extended = Object.entries(named).map(([name, service]) => {
    const read = () => extendedService({ at: `services.${name}`, service, services: named, path: [`:${name}`] }, { load, merge })
    return [name, place.reading.attempt(read) ?? service] as const
  })
  return { ...whole, services: Object.fromEntries(extended) }
}

type Load = (given: unknown, at: string) => { readonly name: string; readonly file: File }

function createLoad({ directory, lookUp, parse }: Place): Load {
  const known = new Map<string, File>()
  let characters = 0
  return function load(given, at) {
    const name = repositoryPath(matching(given, at, FILE_NAME), at, directory)
    const found = known.get(name)
    if (found !== undefined) return { name, file: found }
    if (known.size >= MOST_FILES) refuse(at, `refers to more than ${MOST_FILES} other files, directly or indirectly`)
    const entry = fileAt(lookUp, name, at)
    if (entry.kind === 'file' && entry.text === null) refuse(`${at} (${name})`, 'is not a text file, or is too long')
    characters += entry.kind === 'file' ? (entry.text?.length ?? 0) : 0
    if (characters > MOST_CHARACTERS) refuse(at, `refers to files with more than ${MOST_CHARACTERS / 1024} KiB in total`)
    const parsed = entry.kind === 'file' ? mapping(parse(entry.text ?? ''), name) : {} // it is there at the next attempt
    const file = rebased(parsed, path.posix.relative(`/${directory}`, path.posix.dirname(`/${name}`)))
    known.set(name, file)
    return { name, file }
  }
}

/** Its own top-level entries, and those of the included files. A name used in two files is refused. */
function createIncluded(load: Load, reading: Reading) {
  let left = MOST_INCLUDES
  return function included(top: File, names: readonly string[]): File {
    const { include, ...own } = top
    if (include === undefined || include === null) return own
    const files = reading.each('include', sequence(include, 'include'), (entry) => {
      left -= 1
      if (left < 0) refuse('include', `includes more than ${MOST_INCLUDES} files, directly or indirectly. Include each file once`)
      const given = typeof entry === 'object' ? mapping(entry, 'include', ['path'])['path'] : entry
      const { name, file } = load(scalar(given, 'include'), 'include')
      if (names.includes(name) || names.length >= DEEPEST) refuse(`include (${name})`, 'includes itself, or is nested too deeply')
      return included(file, [...names, name])
    })
    const whole: Record<string, unknown> = { ...own }
    for (const list of LISTS) whole[list] = joined(list, [own, ...files], reading)
    return whole
  }
}

function joined(list: string, files: readonly File[], reading: Reading): unknown {
  const found: Record<string, unknown> = {}
  for (const file of files)
    for (const [name, value] of Object.entries(reading.attempt(() => mapping(file[list], list)) ?? {})) {
      const isTwice = Object.hasOwn(found, name) && list === 'services'
      if (isTwice) reading.attempt(() => refuse(`${list}.${name}`, 'is defined in two files. Remove or rename one of them'))
      else if (!Object.hasOwn(found, name)) Object.defineProperty(found, name, { value, enumerable: true })
    }
  return Object.keys(found).length === 0 && files[0]?.[list] === undefined ? undefined : found
}

type Extending = { at: string; service: unknown; services: Service; path: readonly string[]; file?: string }

type Merge = typeof mergedService

function createMerge(): Merge {
  let left = MOST_VALUES
  return (base, own) => {
    left -= sizeOf(base) + sizeOf(own)
    if (left >= 0) return mergedService(base, own)
    // not one reason among others: each of them would read what is extended again
    throw new SpecRefused('services', `The compose file cannot be used: its services extend each other to more than ${MOST_VALUES} values.`)
  }
}

// The nesting was limited when the files were parsed.
function sizeOf(value: unknown): number {
  return typeof value !== 'object' || value === null ? 1 : Object.values(value).reduce((sum: number, each) => sum + sizeOf(each), 1)
}

function extendedService({ at, service, services, path: seen, file = '' }: Extending, how: { load: Load; merge: Merge }): unknown {
  const { extends: given, ...own } = mapping(service, at)
  if (given === undefined || given === null) return own
  const where = `${at}.extends`
  const wanted = typeof given === 'string' ? { service: given } : mapping(given, where, ['service', 'file'])
  const name = scalar(wanted['service'], where)
  const other = wanted['file'] === undefined || wanted['file'] === null ? undefined : how.load(wanted['file'], where)
  const [from, list] = other === undefined ? [file, services] : [other.name, mapping(other.file['services'], other.name)]
  const key = `${from}:${name}`
  if (seen.includes(key) || seen.length > DEEPEST) refuse(where, 'is circular, or is nested too deeply')
  const base = Object.hasOwn(list, name) ? list[name] : undefined
  if (base === undefined && other !== undefined && Object.keys(other.file).length === 0) return own // not read yet
  if (base === undefined) refuse(where, `names the service ${name.slice(0, 80)}, which does not exist`)
  const whole = extendedService({ at, service: base, services: list, path: [...seen, key], file: from }, how)
  return how.merge(mapping(whole, at), own)
}

function quietMapping(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {} // no array
}
