import { readdir } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { Artifact } from '../../../../domain/artifact.ts'
import type { LimitedBuild } from '../../../../engine/build/build.ts'
import { buildContext } from '../../../../engine/build/context.ts'
import { buildCacheScope, labelsOf } from '../../../../engine/labels.ts'
import { resolveInside } from '../../../../git/resolve-inside.ts'
import { type Context, DeploymentFailure } from '../../run/stage.ts'
import type { CheckDockerfile } from '../check-dockerfile.ts'

type Deps = { build: LimitedBuild; checkDockerfile: CheckDockerfile; instance: string; newImageName: () => string }

const LOOK_DEPTH = 3

/** Builds the app's Dockerfile with BuildKit. Environment values never reach a build: they would stay in the image. */
export function createBuildImage(deps: Deps) {
  return async function buildImage(context: Context): Promise<Artifact> {
    const { app, deployment } = context
    await context.enter('building_image')
    const root = await directoryIn(context)
    const dockerfile = await dockerfileIn(context, root)
    const tag = deps.newImageName()
    const labels = labelsOf({ instance: deps.instance, kind: 'app', projectId: app.project_id, appId: app.id, deploymentId: deployment.id })
    await context.effect('engine.build', async (signal) => {
      await using _ = await deps.checkDockerfile(join(root, dockerfile), { signal, onActivity: context.active })
      await deps.build({
        contextTar: buildContext({ directory: root, dockerfile, signal }),
        dockerfile,
        tag,
        labels,
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

/** The build root, inside the workspace by its real path: a symlink out of the repository is no root. */
async function directoryIn({ app, workspace }: Context): Promise<string> {
  const root = await resolveInside(workspace, app.root_directory === '' ? '.' : app.root_directory)
  if (root?.kind !== 'directory')
    throw new DeploymentFailure(`The repository has no directory "${app.root_directory}". Check Settings → Root directory.`)
  return root.path
}

async function dockerfileIn({ app }: Context, root: string): Promise<string> {
  const wanted = app.dockerfile_path ?? 'Dockerfile'
  const file = await resolveInside(root, wanted)
  if (file?.kind === 'file') return relative(root, file.path)
  const found = await dockerfilesBelow(root)
  const hint = found.length === 0 ? 'No Dockerfile was found anywhere near it' : `Found: ${found.slice(0, 5).join(', ')}`
  throw new DeploymentFailure(
    `There is no ${wanted} in the build root. ${hint}. Set Settings → Dockerfile or Settings → Root directory to where yours is.`,
    { facts: { kind: 'no_dockerfile', found: found.slice(0, 5) } },
  )
}

async function dockerfilesBelow(root: string, depth = 0): Promise<string[]> {
  if (depth > LOOK_DEPTH) return []
  const entries = await readdir(root, { withFileTypes: true })
  const here = entries.filter((entry) => entry.isFile() && /dockerfile/i.test(entry.name)).map((entry) => entry.name)
  const below = entries.filter((entry) => entry.isDirectory() && entry.name !== '.git' && entry.name !== 'node_modules').slice(0, 50)
  const deeper = await Promise.all(
    below.map(async (entry) => (await dockerfilesBelow(join(root, entry.name), depth + 1)).map((path) => `${entry.name}/${path}`)),
  )
  return [...here, ...deeper.flat()]
}
