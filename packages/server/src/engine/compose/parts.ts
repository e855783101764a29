import { type NamedContext, namedContextsOf } from './build-contexts.ts'
import { wordsOf } from './command-line.ts'
import { type BuildSecret, buildSecretsOf, type Contents } from './configs.ts'
import { isExtension, mapping, matching, type Reading, refuse, scalar, texts, variables } from './refuse.ts'
import type { Condition, Dependency } from './stack.ts'

type Env = Readonly<Record<string, string>>

export type ComposeBuild = {
  readonly context: string
  readonly dockerfile: string
  /** The Dockerfile itself, where the compose file has it in place of a name. */
  readonly inline?: string
  readonly target?: string
  readonly args: Readonly<Record<string, string>>
  /** For the steps that mount them, and never stored with a release. */
  readonly secrets?: readonly BuildSecret[]
  readonly contexts?: readonly NamedContext[]
}

const BUILD_KEYS = ['context', 'dockerfile', 'dockerfile_inline', 'target', 'args', 'secrets', 'additional_contexts']
/** Keys that speed up a build or name its result; Berth has its own way for both. */
const BUILD_WITHOUT_MEANING = [
  'labels',
  'cache_from',
  'cache_to',
  'no_cache',
  'pull',
  'tags',
  'platforms',
  'shm_size',
  'provenance',
  'sbom',
]
const BUILD_REFUSED: Readonly<Record<string, string>> = {
  ssh: 'is not allowed: builds cannot use SSH keys of the server. Commit what the build needs, or fetch it without a key',
  extra_hosts: 'is not allowed',
  ulimits: 'is not allowed: Berth sets the limits of builds',
  privileged: 'is not allowed: it gives the build full control of the server. Remove it',
  entitlements: 'is not allowed: it gives the build full control of the server. Remove it',
}

type BuildSettings = { env: Env; reading: Reading; secrets: Contents; directory: string }

/** `context` and `dockerfile` are paths inside the repository: their syntax is checked here, the real path when they are read. */
export function buildOf(value: unknown, at: string, { env, reading, secrets: contents, directory }: BuildSettings): ComposeBuild {
  const given = typeof value === 'string' ? { context: value } : mapping(value, at)
  const { attempt } = reading
  for (const key of Object.keys(given)) {
    if (BUILD_KEYS.includes(key) || BUILD_WITHOUT_MEANING.includes(key) || isExtension(key)) continue
    if (key === 'network' && given[key] === 'default') continue
    attempt(() => refuse(`${at}.${key}`, Object.hasOwn(BUILD_REFUSED, key) ? BUILD_REFUSED[key] : undefined))
  }
  const context = repoPath(given['context'] ?? '.', `${at}.context`)
  const text = given['dockerfile_inline']
  if (text !== undefined && given['dockerfile'] !== undefined)
    refuse(`${at}.dockerfile_inline`, 'cannot be combined with dockerfile. Remove one of them')
  const inline = text === undefined ? {} : { inline: scalar(text, `${at}.dockerfile_inline`) }
  const dockerfile = repoPath(given['dockerfile'] ?? 'Dockerfile', `${at}.dockerfile`)
  const target =
    given['target'] === undefined ? {} : { target: matching(given['target'], `${at}.target`, /^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$/) }
  const secrets = given['secrets'] === undefined ? [] : buildSecretsOf(given['secrets'], `${at}.secrets`, { contents, reading })
  const args = buildArgsOf(given['args'], `${at}.args`, env)
  const contexts = namedContextsOf(given['additional_contexts'], `${at}.additional_contexts`, { directory, reading })
  const more = { ...(secrets.length > 0 && { secrets }), ...(contexts.length > 0 && { contexts }) }
  return { context, dockerfile, ...inline, ...target, args, ...more }
}

/** Some build arguments control the builder itself, for example which program parses the Dockerfile, or the namespace of the cache. */
function buildArgsOf(value: unknown, at: string, env: Env): Record<string, string> {
  const args = variables(value, at, env)
  const order = Object.keys(args).find((name) => /^BUILDKIT_/i.test(name) && name !== 'BUILDKIT_INLINE_CACHE')
  return order === undefined ? args : refuse(`${at}.${order}`)
}

function repoPath(value: unknown, at: string): string {
  const text = matching(value, at, /^[A-Za-z0-9._@+][A-Za-z0-9._@+/ -]{0,511}$/)
  const parts = text.split('/').filter((part) => part !== '' && part !== '.')
  return parts.includes('..') ? refuse(at, 'points outside the repository') : parts.join('/') || '.'
}

/** The engine repeats it whenever containers are listed. */
const MOST_COMMAND_BYTES = 32 * 1024

/** Undefined to keep the image's own. */
export function commandOf(value: unknown, at: string): string[] | undefined {
  if (value === null || value === undefined) return undefined
  const words = Array.isArray(value) ? texts(value, at) : wordsOf(scalar(value, at), at)
  if (JSON.stringify(words).length > MOST_COMMAND_BYTES)
    refuse(at, `is longer than ${MOST_COMMAND_BYTES / 1024} KiB. Put the script into a file of the repository and run that`)
  return words.length === 0 ? undefined : words
}

/** An empty value removes the image's own, which the engine expects as one empty string. */
export function entrypointOf(value: unknown, at: string): string[] | undefined {
  return value === '' || (Array.isArray(value) && value.length === 0) ? [''] : commandOf(value, at)
}

export function dependsOnOf(value: unknown, at: string): Dependency[] {
  if (Array.isArray(value)) return texts(value, at).map((service) => ({ service, condition: 'service_started' }))
  return Object.entries(mapping(value, at)).map(([service, wanted]) => {
    const given = mapping(wanted, `${at}.${service}`, ['condition', 'required', 'restart'])
    const condition = CONDITIONS.find((known) => known === (given['condition'] ?? 'service_started'))
    if (condition === undefined) return refuse(`${at}.${service}.condition`, `must be one of ${CONDITIONS.join(', ')}`)
    return { service, condition, ...(given['required'] === false ? { isOptional: true } : {}) }
  })
}

const CONDITIONS: readonly Condition[] = ['service_started', 'service_healthy', 'service_completed_successfully']

export function aliasesOf(value: unknown, at: string): string[] {
  if (Array.isArray(value)) return []
  const networks = Object.entries(mapping(value, at))
  return networks.flatMap(([name, endpoint]) => {
    const given = mapping(endpoint, `${at}.${name}`, ['aliases', 'priority', 'gw_priority'])
    return given['aliases'] === undefined
      ? []
      : texts(given['aliases'], `${at}.${name}.aliases`).map((alias) =>
          matching(alias, `${at}.${name}.aliases`, /^[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/),
        )
  })
}

const SIZE = /^(?<amount>\d+(?:\.\d+)?)(?<unit>[bkmg]?)b?$/i
const UNIT = { '': 1, b: 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 } as const

/** Never zero, which the engine treats as unlimited. */
export function bytesOf(value: unknown, at: string, least: { bytes: number; text: string } = { bytes: 4096, text: '4k' }): number {
  const { amount = '', unit = '' } = SIZE.exec(scalar(value, at))?.groups ?? refuse(at, 'must be a size such as 512m')
  const factor = Object.entries(UNIT).find(([name]) => name === unit.toLowerCase())?.[1] ?? 1
  const bytes = Math.round(Number(amount) * factor)
  if (!Number.isSafeInteger(bytes)) refuse(at, 'is larger than the memory of any server')
  return bytes < least.bytes ? refuse(at, `must be at least ${least.text}`) : bytes
}
