import { access, mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { SpecRefused } from '../api/errors.ts'
import type { BuildRequest, LimitedBuild } from '../build/build.ts'
import { buildContext } from '../build/context.ts'
import { createComposeCli, FILE, NO_ENV_FILE, type Project } from './cli.ts'
import type { ComposePlan } from './policy.ts'

type CheckOptions = Pick<BuildRequest, 'signal' | 'onActivity' | 'buildArgs'>
type CheckDockerfile = (file: string, options: CheckOptions) => Promise<AsyncDisposable>
type BuildDeps = { build: LimitedBuild; inside: Inside; checkDockerfile: CheckDockerfile }
type Inside = (workspace: string, repoPath: string) => Promise<{ path: string; kind: 'file' | 'directory' } | null>

/** Multi-container apps, through whichever Compose the machine has. It only ever sees files that `planCompose` wrote. */
export function createCompose(deps: BuildDeps & Parameters<typeof createComposeCli>[0]) {
  const run = createComposeCli(deps)
  const build = createComposeBuild(deps)

  async function start(plan: ComposePlan, project: Project, args: readonly string[]): Promise<void> {
    await mkdir(project.directory, { recursive: true, mode: 0o700 })
    // Environment values are in it.
    await writeFile(path.join(project.directory, FILE), plan.file, { mode: 0o600 })
    await writeFile(path.join(project.directory, NO_ENV_FILE), '')
    await run(project, ['up', '--detach', '--no-build', '--quiet-pull', ...args])
  }

  /** The whole plan and nothing else. What has changed is replaced: the old one goes before the new one comes. */
  async function up(plan: ComposePlan, project: Project): Promise<void> {
    await start(plan, project, ['--remove-orphans'])
  }

  /** These services; `alone` without those that they depend on. */
  async function upSome(plan: ComposePlan, project: Project, some: { services: readonly string[]; alone: boolean }): Promise<void> {
    if (some.services.length > 0) await start(plan, project, [...(some.alone ? ['--no-deps'] : []), ...some.services])
  }

  /** So many of one service: those that run stay as they are, and what is missing comes by this plan. `alone` as above. */
  async function upBeside(plan: ComposePlan, project: Project, wanted: { service: string; count: number; alone: boolean }): Promise<void> {
    const { service, count, alone } = wanted
    await start(plan, project, ['--no-recreate', ...(alone ? ['--no-deps'] : []), '--scale', `${service}=${count}`, service])
  }

  /** Containers go; volumes only when asked. Without the file nothing was ever started under it. */
  async function down(project: Project, options: { removeVolumes: boolean; graceSeconds: number }): Promise<void> {
    const isThere = await access(path.join(project.directory, FILE)).then(
      () => true,
      () => false,
    )
    if (!isThere) return
    await run(project, [
      'down',
      '--remove-orphans',
      '--timeout',
      String(options.graceSeconds),
      ...(options.removeVolumes ? ['--volumes'] : []),
    ])
  }

  return { build, up, upSome, upBeside, down }
}

export type Compose = ReturnType<typeof createCompose>

/**
 * Builds what the plan builds. By the engine's own build and not by the CLI, so that cancel, limits and output are the same as for every
 * other app, and no build outlives us.
 */
function createComposeBuild(deps: BuildDeps) {
  return async (
    plan: ComposePlan,
    options: Pick<BuildRequest, 'labels' | 'cacheScope' | 'onLine' | 'onActivity' | 'signal'> & { workspace: string },
  ): Promise<void> => {
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
