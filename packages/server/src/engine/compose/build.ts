import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { SpecRefused } from '../api/errors.ts'
import type { BuildRequest, LimitedBuild } from '../build/build.ts'
import { buildContext } from '../build/context.ts'
import { LONGEST_DOCKERFILE_KIB } from '../build/dockerfile.ts'
import { CONTEXTS_FOLDER, withContexts } from './build-contexts.ts'
import type { BuildSecret } from './configs.ts'
import type { ComposePlan } from './stack.ts'

type CheckOptions = Pick<BuildRequest, 'signal' | 'onActivity' | 'buildArgs' | 'credentials'> & { projectId: number; setBy: number | null }
type CheckDockerfile = (dockerfile: string | { readonly text: string }, options: CheckOptions) => Promise<AsyncDisposable>
type Inside = (workspace: string, repoPath: string) => Promise<{ path: string; kind: 'file' | 'directory' } | null>

type Options = Pick<BuildRequest, 'labels' | 'cacheScope' | 'onLine' | 'onActivity' | 'signal' | 'credentials'> & {
  workspace: string
  projectId: number
  /** Who set the source of the compose file. */
  setBy: number | null
  /** The whole checkout, of which `workspace` is the root directory. */
  repository?: string
  /** Of the app, for all its builds. */
  secrets?: ReadonlyMap<string, Buffer>
  /** The contents of the repository's files, by their hash. */
  blobs?: ReadonlyMap<string, Buffer>
}

/** Where a Dockerfile goes that the compose file has in it. One of that name in the context is left out. */
const WRITTEN = '.berth.Dockerfile'

/** Builds the images of a plan like those of any other app, with the same cancellation, limits and output. */
export function createStackBuild(deps: { build: LimitedBuild; inside: Inside; checkDockerfile: CheckDockerfile }) {
  async function dockerfileOf(
    { service, context, dockerfile, inline }: ComposePlan['builds'][number],
    directory: string,
  ): Promise<Dockerfile> {
    if (inline !== undefined) return { checked: { text: inline }, used: { dockerfile: WRITTEN, written: { text: inline, ignore: '' } } }
    const file = await deps.inside(directory, dockerfile)
    if (file?.kind !== 'file')
      throw new SpecRefused(`services.${service}.build.dockerfile`, `The service ${service} has no ${dockerfile} in ${context}.`)
    // The path of the file that was checked: its name may be a link that the builder follows elsewhere.
    return { checked: file.path, used: { dockerfile: path.relative(directory, file.path) } }
  }

  /** The directories of `additional_contexts`. Their real paths must be inside the repository. */
  async function directoriesOf({ service, contexts = [] }: ComposePlan['builds'][number], repository: string) {
    const found: { at: string; directory: string }[] = []
    for (const context of contexts) {
      if ('image' in context) continue
      const directory = await deps.inside(repository, context.path)
      if (directory?.kind !== 'directory')
        throw new SpecRefused(
          `services.${service}.build.additional_contexts.${context.name}`,
          `The service ${service} builds with ${context.path}, which is not a directory in the repository.`,
        )
      found.push({ at: `${CONTEXTS_FOLDER}/${context.name}`, directory: directory.path })
    }
    return found
  }

  return async function buildStack(plan: ComposePlan, options: Options): Promise<void> {
    const { workspace, projectId, setBy, repository = workspace, secrets = new Map(), blobs = new Map(), ...common } = options
    for (const wanted of plan.builds) {
      const { service, context, target, args, image } = wanted
      const directory = await deps.inside(workspace, context)
      if (directory?.kind !== 'directory')
        throw new SpecRefused(
          `services.${service}.build.context`,
          `The service ${service} builds from ${context}, which is not a directory in the repository.`,
        )
      const beside = await directoriesOf(wanted, repository)
      const found = await withContextsOf(wanted, await dockerfileOf(wanted, directory.path))
      const { signal, onActivity, credentials = [] } = options
      await using _ = await deps.checkDockerfile(found.checked, {
        projectId,
        setBy,
        signal,
        buildArgs: args,
        credentials,
        ...(onActivity && { onActivity }),
      })
      const contextTar = buildContext({ directory: directory.path, signal, beside, ...found.used })
      await deps.build({
        ...common,
        contextTar,
        dockerfile: found.used.dockerfile,
        tag: image,
        buildArgs: args,
        secrets: new Map([...secrets, ...contentsOf(wanted.secrets ?? [], blobs)]),
        ...(target === undefined ? {} : { target }),
      })
    }
  }
}

type Dockerfile = {
  checked: string | { text: string }
  used: { dockerfile: string; written?: { text: string; ignore: string } }
}

async function withContextsOf({ service, contexts = [] }: ComposePlan['builds'][number], found: Dockerfile): Promise<Dockerfile> {
  if (contexts.length === 0) return found
  const text = typeof found.checked === 'string' ? await readUpTo(found.checked, service) : found.checked.text
  const checked = { text: withContexts(text, contexts, service) }
  return { checked, used: { dockerfile: WRITTEN, written: { ...checked, ignore: '' } } }
}

async function readUpTo(file: string, service: string): Promise<string> {
  const { size } = await stat(file)
  if (size > LONGEST_DOCKERFILE_KIB * 1024)
    throw new SpecRefused(`services.${service}.build.dockerfile`, `The Dockerfile is longer than ${LONGEST_DOCKERFILE_KIB} KiB.`)
  return await readFile(file, 'utf8')
}

function contentsOf(secrets: readonly BuildSecret[], blobs: ReadonlyMap<string, Buffer>): (readonly [string, Buffer])[] {
  return secrets.map((each) => [each.name, 'text' in each ? Buffer.from(each.text) : (blobs.get(each.blob) ?? Buffer.alloc(0))])
}

export type BuildStack = ReturnType<typeof createStackBuild>
