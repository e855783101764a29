import { SpecRefused } from '../api/errors.ts'
import { parseImageReference } from '../image-reference.ts'
import { mapping, matching, type Reading, refuse, scalar, texts } from './refuse.ts'
import { repositoryPath } from './repository.ts'

/** What a Dockerfile uses like a stage: a directory, by its path in the repository, or an image. */
export type NamedContext = { readonly name: string } & ({ readonly path: string } | { readonly image: string })

/** The folder of the build context in which the directories are put. One of that name in the repository is left out. */
export const CONTEXTS_FOLDER = '.berth-contexts'
const MOST_CONTEXTS = 10
const NAME = /^[a-z0-9][a-z0-9_.-]{0,62}$/
const IMAGE = 'docker-image://'
const ELSEWHERE = /^[a-z+-]+:|^git@|\.git(#|$)/i
const OTHERS = 'must be a path in the repository, or an image written as docker-image://name'

/** `additional_contexts`, as a mapping or as a list of name=value. */
export function namedContextsOf(
  value: unknown,
  at: string,
  { directory, reading }: { directory: string; reading: Reading },
): NamedContext[] {
  const pairs = Array.isArray(value) ? texts(value, at).map(pairOf) : Object.entries(mapping(value, at))
  if (pairs.length > MOST_CONTEXTS) refuse(at, `must have at most ${MOST_CONTEXTS} entries: each is sent to the engine with every build`)
  return reading.each(at, pairs, ([given, target]) => {
    const name = matching(given, `${at} key`, NAME)
    const text = scalar(target, `${at}.${name}`)
    if (text.startsWith('service:'))
      return refuse(
        `${at}.${name}`,
        'is not allowed: services are built on their own. Use a stage of the same Dockerfile, or docker-image://',
      )
    if (text.startsWith(IMAGE)) {
      const image = parseImageReference(text.slice(IMAGE.length))?.text ?? refuse(`${at}.${name}`, 'is not the name of an image')
      return { name, image }
    }
    if (ELSEWHERE.test(text)) return refuse(`${at}.${name}`, OTHERS)
    return { name, path: repositoryPath(text, `${at}.${name}`, directory) }
  })
}

function pairOf(text: string): [string, string] {
  const at = text.indexOf('=')
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

const FROM = /^[ \t]*FROM[ \t]/i
const BY_NUMBER = /\bfrom=["']?\d/i

/**
 * The Dockerfile with a stage in front for each context, because the engine's API only has one context. What is written here is checked
 * like any other Dockerfile.
 */
export function withContexts(dockerfile: string, contexts: readonly NamedContext[], service: string): string {
  const at = `services.${service}.build.additional_contexts`
  if (BY_NUMBER.test(dockerfile))
    throw new SpecRefused(
      at,
      `The Dockerfile of ${service} refers to a stage by its number (--from=0), and additional_contexts change the numbers. Use stage names.`,
    )
  const lines = dockerfile.split('\n')
  const first = lines.findIndex((line) => FROM.test(line))
  if (first === -1) throw new SpecRefused(at, `The Dockerfile of ${service} has no FROM.`)
  return [...lines.slice(0, first), ...contexts.flatMap(stageOf), ...lines.slice(first)].join('\n')
}

function stageOf(context: NamedContext): string[] {
  if ('image' in context) return [`FROM ${context.image} AS ${context.name}`]
  return [`FROM scratch AS ${context.name}`, `COPY ${CONTEXTS_FOLDER}/${context.name}/ /`]
}
