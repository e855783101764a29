import { join } from 'node:path'
import { limitWords } from '@berth/contract'
import { DEFAULT_DOCKERIGNORE } from '../../../../builders/dockerignore.ts'
import type { Artifact } from '../../../../domain/artifact.ts'
import { buildConfigOf } from '../../../../domain/release-config.ts'
import type { LimitedBuild } from '../../../../engine/build/build.ts'
import { buildContext } from '../../../../engine/build/context.ts'
import type { Engine } from '../../../../engine/engine.ts'
import { buildCacheScope, labelsOf } from '../../../../engine/labels.ts'
import type { RegistryCredentials } from '../../../../engine/registry.ts'
import type { Db } from '../../../../store/database.ts'
import type { BuildTimes } from '../../build-cache/build-times.ts'
import type { Context } from '../../run/stage.ts'
import type { CheckDockerfile } from '../check-dockerfile.ts'
import { savePlan } from '../store.ts'
import { type BuildRequest, type DecidedBuild, decideBuild } from './decide-build.ts'

type Deps = {
  db: Db
  build: LimitedBuild
  checkDockerfile: CheckDockerfile
  instance: string
  newImageName: () => string
  /** Of the project's registries, for base images. */
  credentialsOf: (projectId: number) => Promise<readonly RegistryCredentials[]>
}

/**
 * Decides how to build, then builds with BuildKit. Environment values are never passed to a build, because they would stay in the image.
 */
export function createBuildImage(deps: Deps) {
  return async function buildImage(context: Context): Promise<Artifact> {
    const { app, deployment } = context
    await context.enter('building_image')
    const decided = await decideBuild(requestOf(context))
    await context.step('db.plan', async () => await deps.db.transaction(async (tx) => await savePlan(tx, deployment.id, decided.plan)))
    sayPlan(context, decided)
    const tag = deps.newImageName()
    const labels = labelsOf({ instance: deps.instance, kind: 'app', projectId: app.project_id, appId: app.id, deploymentId: deployment.id })
    await context.effect('engine.build', async (signal) => {
      const { directory, dockerfile, buildArgs, target } = decided
      const credentials = await deps.credentialsOf(app.project_id)
      const written = decided.isWritten ? { text: decided.plan.dockerfile, ignore: DEFAULT_DOCKERIGNORE } : undefined
      await using _ = await deps.checkDockerfile(written ?? join(directory, dockerfile), {
        projectId: app.project_id,
        setBy: app.source_set_by,
        signal,
        buildArgs,
        credentials,
        onActivity: context.active,
      })
      await deps.build({
        contextTar: buildContext({ directory, dockerfile, signal, ...(written && { written }) }),
        dockerfile,
        tag,
        labels,
        buildArgs,
        credentials,
        ...secretsFor(context, decided),
        ...(target !== '' && { target }),
        withoutCache: deployment.without_cache === 1,
        cacheScope: buildCacheScope(deps.instance, app.project_id),
        onLine: context.output,
        onProgress: context.progress,
        onActivity: context.active,
        signal,
      })
    })
    return { kind: 'image', tag }
  }
}

/** A Dockerfile of ours only mounts the secrets of the app. Without any, the build needs no session, which takes long to open. */
function secretsFor({ buildSecrets }: Context, { isWritten }: DecidedBuild): { secrets?: ReadonlyMap<string, Buffer> } {
  const secrets = new Map(Object.entries(buildSecrets).map(([name, value]) => [name, Buffer.from(value)]))
  return isWritten && secrets.size === 0 ? {} : { secrets }
}

function requestOf({ app, config, workspace, buildSecrets: secrets }: Context): BuildRequest {
  const build = config.build ?? buildConfigOf(app)
  const { root_directory: rootDirectory, dockerfile_path: dockerfilePath } = app
  const { port, processes = [] } = config
  return { workspace, rootDirectory, dockerfilePath, build, port, processes, buildSecrets: Object.keys(secrets).toSorted() }
}

function sayPlan({ say, deployment }: Context, { plan, isWritten }: DecidedBuild): void {
  if (isWritten) say(`Detected ${plan.title} (from ${plan.files.join(', ')})`)
  for (const { name, version, from } of isWritten ? plan.versions : []) say(`${name} ${version}: ${from}`)
  for (const { name, command, from } of plan.commands) say(`${name[0]?.toUpperCase()}${name.slice(1)} command: ${command} (${from})`)
  for (const { name, command, replicas, from, ...limits } of plan.processes ?? [])
    say(
      replicas > 0
        ? `Process ${name}: ${command} (${from}), ${replicas} ${replicas === 1 ? 'replica' : 'replicas'}${limitWords(limits) && `, each ${limitWords(limits)}`}`
        : `Process ${name}: ${command} (${from}) does not run: set its replicas under Settings → Other processes, or with berth scale`,
    )
  if (plan.outputDirectory !== '') say(`Output directory: ${plan.outputDirectory}`)
  for (const note of plan.notes) say(note)
  if (isWritten) for (const line of plan.dockerfile.trimEnd().split('\n')) say(`Dockerfile | ${line}`)
  if (deployment.without_cache === 1) say('Building without the cache')
}

type Machine = { cores: number; memoryBytes: number }
type BuildDeps = { engine: Pick<Engine, 'build'>; buildTimes: Pick<BuildTimes, 'during'>; machine: Machine }

/** Runs a build within resource limits, and records when it ran. */
export function createLimitedBuild({ engine, buildTimes, machine }: BuildDeps): LimitedBuild {
  const { cores, memoryBytes } = machine
  const limits = {
    memoryBytes: Math.floor(memoryBytes * 0.6),
    cpus: Math.max(1, cores - 0.5),
    processes: Math.max(1024, 128 * cores), // threads count too, and build tools start several per core
  }
  return (request) => buildTimes.during(() => engine.build({ ...request, ...limits }))
}
