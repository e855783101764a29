import path from 'node:path'
import { refuse } from './refuse.ts'

type Values = Readonly<Record<string, unknown>>

/** A path that stays what it is: of the machine, which is refused where it is read, or of the network. */
const ELSEWHERE = /^[/~]|:\/\//
const BIND = /^\.{1,2}(\/|$)/

/**
 * A compose file of another folder, as if it lay beside the first one: its paths begin in its own folder, and become paths that begin in
 * that of the first one. `between` leads from there to the folder of the file.
 */
export function rebased(file: Values, between: string): Values {
  if (between === '') return file
  const moved: Record<string, unknown> = { ...file }
  for (const list of ['configs', 'secrets'])
    if (file[list] !== undefined) moved[list] = eachOf(file[list], (one) => withPath(one, 'file', between))
  if (Array.isArray(file['include'])) moved['include'] = file['include'].map((one: unknown) => pathOr(one, 'path', between))
  if (file['services'] !== undefined) moved['services'] = eachOf(file['services'], (one) => serviceIn(one, between))
  return moved
}

function serviceIn(service: unknown, between: string): unknown {
  if (!isValues(service)) return service
  const moved: Record<string, unknown> = { ...service }
  if (typeof service['build'] === 'string') moved['build'] = from(service['build'], between)
  else if (isValues(service['build'])) moved['build'] = buildIn(service['build'], between)
  if (service['env_file'] !== undefined) moved['env_file'] = listOf(service['env_file']).map((one) => pathOr(one, 'path', between))
  if (isValues(service['extends'])) moved['extends'] = withPath(service['extends'], 'file', between)
  if (Array.isArray(service['volumes'])) moved['volumes'] = service['volumes'].map((one: unknown) => mountIn(one, between))
  return moved
}

function buildIn(build: Values, between: string): unknown {
  const contexts = build['additional_contexts']
  const moved = Array.isArray(contexts)
    ? contexts.map((one: unknown) => contextIn(one, between))
    : eachOf(contexts, (one) => ownPath(one, between))
  return withPath({ context: '.', ...build, ...(contexts !== undefined && { additional_contexts: moved }) }, 'context', between)
}

function contextIn(one: unknown, between: string): unknown {
  const [, name, value] = typeof one === 'string' ? (/^([^=]*=)([^]*)$/.exec(one) ?? []) : []
  return name === undefined ? one : `${name}${String(ownPath(value, between))}`
}

/** `service:web` is no path either. */
function ownPath(value: unknown, between: string): unknown {
  return typeof value === 'string' && value.startsWith('service:') ? value : from(value, between)
}

function mountIn(mount: unknown, between: string): unknown {
  if (isValues(mount)) return mount['type'] === 'bind' ? withPath(mount, 'source', between) : mount
  if (typeof mount !== 'string') return mount
  if (mount.startsWith('$')) return from(mount, between)
  const [source = '', ...rest] = mount.split(':')
  return BIND.test(source) ? [from(source, between), ...rest].join(':') : mount
}

function withPath(value: unknown, key: 'file' | 'path' | 'context' | 'source', between: string): unknown {
  return isValues(value) && value[key] !== undefined ? { ...value, [key]: from(value[key], between) } : value
}

/** The path itself, or a mapping that has it. */
function pathOr(one: unknown, key: 'path', between: string): unknown {
  return isValues(one) ? withPath(one, key, between) : from(one, between)
}

function from(given: unknown, between: string): unknown {
  if (typeof given !== 'string' || ELSEWHERE.test(given)) return given
  if (given.startsWith('$'))
    refuse(
      `${given.slice(0, 80)} in ${between}`,
      'starts with a variable, which could be any path. Write out the path, or put the file next to the main compose file',
    )
  // with ./ in front: without it the name of a folder would be that of a volume
  const joined = path.posix.join(between, given)
  return joined.startsWith('../') || joined === '..' ? joined : `./${joined}`
}

function eachOf(list: unknown, work: (one: unknown) => unknown): unknown {
  return isValues(list) ? Object.fromEntries(Object.entries(list).map(([name, one]) => [name, work(one)])) : list
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value]
}

function isValues(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
