import path from 'node:path'
import { SpecRefused } from '../api/errors.ts'
import type { BuildRequest, LimitedBuild } from '../build/build.ts'
import { buildContext } from '../build/context.ts'
import type { ComposePlan } from './stack.ts'

type CheckOptions = Pick<BuildRequest, 'signal' | 'onActivity' | 'buildArgs'>
type CheckDockerfile = (file: string, options: CheckOptions) => Promise<AsyncDisposable>
type Inside = (workspace: string, repoPath: string) => Promise<{ path: string; kind: 'file' | 'directory' } | null>

type Options = Pick<BuildRequest, 'labels' | 'cacheScope' | 'onLine' | 'onActivity' | 'signal'> & { workspace: string }

/** Builds what a plan builds, so that cancel, limits and output are the same as for every other app. */
export function createStackBuild(deps: { build: LimitedBuild; inside: Inside; checkDockerfile: CheckDockerfile }) {
  return async function buildStack(plan: ComposePlan, options: Options): Promise<void> {
    const { workspace, ...common } = options
    for (const { service, context, dockerfile, target, args, image } of plan.builds) {
      const directory = await deps.inside(workspace, context)
      if (directory?.kind !== 'directory')
        throw new SpecRefused(
          `services.${service}.build.context`,
          `The service ${service} builds from ${context}, which is not a directory of the repository.`,
        )
      const file = await deps.inside(directory.path, dockerfile)
      if (file?.kind !== 'file')
        throw new SpecRefused(`services.${service}.build.dockerfile`, `The service ${service} has no ${dockerfile} in ${context}.`)
      const { signal, onActivity } = options
      await using _ = await deps.checkDockerfile(file.path, { signal, buildArgs: args, ...(onActivity && { onActivity }) })
      // The file that was checked, and not its name: the builder may follow a link to another one.
      const checked = path.relative(directory.path, file.path)
      const contextTar = buildContext({ directory: directory.path, dockerfile: checked, signal: options.signal })
      await deps.build({
        ...common,
        contextTar,
        dockerfile: checked,
        tag: image,
        buildArgs: args,
        ...(target === undefined ? {} : { target }),
      })
    }
  }
}

export type BuildStack = ReturnType<typeof createStackBuild>
