import { realpath } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { AppProcess, BuildPlan } from '@berth/contract'
import { readBerthJson } from '../../../../builders/berth-json.ts'
import { type Detected, type DetectionInput, detect, detectSite } from '../../../../builders/detect.ts'
import { summaryOf } from '../../../../builders/dockerfile-summary.ts'
import { withProcesses } from '../../../../builders/processes.ts'
import { withReleaseLine } from '../../../../builders/procfile.ts'
import { BuildProblem, type Project, projectAt } from '../../../../builders/project.ts'
import { readRepository } from '../../../../builders/read-repository.ts'
import type { BuildConfig } from '../../../../domain/release-config.ts'
import { readTextUpTo } from '../../../../git/read-text.ts'
import { resolveInside } from '../../../../git/resolve-inside.ts'
import { DeploymentFailure } from '../../run/stage.ts'
import { dockerfilesBelow, noDockerfile } from './find-dockerfile.ts'

/** The checkout of a repository, and the settings of the app that is built from it. */
export type BuildRequest = {
  readonly workspace: string
  readonly rootDirectory: string
  readonly dockerfilePath: string | null
  readonly build: BuildConfig
  readonly port: number | null
  /** The settings of the app's processes beside the main one. */
  readonly processes: readonly AppProcess[]
  /** The names of the app's build secrets. */
  readonly buildSecrets: readonly string[]
}

export type DecidedBuild = {
  readonly plan: BuildPlan
  /** The build context. */
  readonly directory: string
  /** The path of the Dockerfile in the build context. */
  readonly dockerfile: string
  /** Whether Berth generated the Dockerfile, as opposed to a file of the repository. */
  readonly isWritten: boolean
  readonly buildArgs: Readonly<Record<string, string>>
  readonly target: string
}

const WRITTEN_NAME = 'Dockerfile.berth'
const MOST_KEPT_BYTES = 64 * 1024
const OVERRIDABLE = {
  installCommand: 'install',
  buildCommand: 'build',
  startCommand: 'start',
  outputDirectory: 'output directory',
} as const

/** Decides what to build, from the app's settings and the files of its repository, without running anything. */
export async function decideBuild(request: BuildRequest): Promise<DecidedBuild> {
  const { build: settings, port } = request
  const root = await directoryIn(request)
  const workspace = await realpath(request.workspace)
  const place = relative(workspace, root)
  const project = projectAt(await readRepository(workspace, place), place)
  try {
    const { processes: _, ...file } = readBerthJson(project)
    const releaseCommand = file.releaseCommand?.trim() || settings.releaseCommand // empty is as good as not there, as for the other commands
    const build = { ...settings, ...file, releaseCommand, buildArgs: { ...settings.buildArgs, ...file.buildArgs } }
    const own = await ownDockerfile(request, root, build)
    if (own !== null) {
      const plan = withRelease(await dockerfilePlan(port, project, { root, dockerfile: own, build }), build, file.releaseCommand)
      const whole = withProcesses(withReleaseLine(plan, project), project, request.processes)
      return { plan: whole, directory: root, dockerfile: own, isWritten: false, buildArgs: build.buildArgs, target: build.buildTarget }
    }
    const given: DetectionInput = { settings, port, buildArgs: Object.keys(build.buildArgs), buildSecrets: request.buildSecrets }
    const found = build.builder === 'static' ? detectSite(project, given) : await detectAny(request, project, { root, given })
    const plan = withReleaseLine(withRelease(found.plan, build, file.releaseCommand), project)
    return {
      plan: withProcesses(plan, project, request.processes),
      directory: join(workspace, found.context),
      dockerfile: WRITTEN_NAME,
      isWritten: true,
      buildArgs: build.buildArgs,
      target: '',
    }
  } catch (cause) {
    if (cause instanceof BuildProblem) throw new DeploymentFailure(cause.message, { cause })
    throw cause
  }
}

/** The root directory of the build. Its real path must be inside the workspace, so that a symlink cannot lead out of the repository. */
async function directoryIn({ rootDirectory, workspace }: BuildRequest): Promise<string> {
  const root = await resolveInside(workspace, rootDirectory === '' ? '.' : rootDirectory)
  if (root?.kind !== 'directory')
    throw new DeploymentFailure(`The repository has no directory "${rootDirectory}". Check Settings → Root directory.`)
  return root.path
}

/** The Dockerfile of the repository, or null to build something else. If the settings name one, it must exist. */
async function ownDockerfile(
  { dockerfilePath }: BuildRequest,
  root: string,
  { builder }: Pick<BuildConfig, 'builder'>,
): Promise<string | null> {
  if (builder === 'static') return null
  const wanted = dockerfilePath ?? 'Dockerfile'
  const file = await resolveInside(root, wanted)
  if (file?.kind === 'file') return relative(root, file.path)
  if (builder === 'auto' && dockerfilePath === null) return null
  throw noDockerfile(wanted, await dockerfilesBelow(root))
}

type Place = { readonly root: string; readonly given: DetectionInput }

/** An index.html is not taken for a static site if there is a Dockerfile in a subdirectory: its author probably wants that one built. */
async function detectAny({ dockerfilePath }: BuildRequest, project: Project, { root, given }: Place): Promise<Detected> {
  const found = detect(project, given)
  if (found !== null && found.plan.kind !== 'static') return found
  const dockerfiles = await dockerfilesBelow(root)
  if (found !== null && dockerfiles.length === 0) return found
  throw noDockerfile(dockerfilePath ?? 'Dockerfile', dockerfiles, found === null)
}

type Own = { readonly root: string; readonly dockerfile: string; readonly build: BuildConfig }

async function dockerfilePlan(port: number | null, project: Project, { root, dockerfile, build }: Own): Promise<BuildPlan> {
  const text = await readTextUpTo(join(root, dockerfile), MOST_KEPT_BYTES)
  const unused = Object.entries(OVERRIDABLE).filter(([key]) => build[key as keyof typeof OVERRIDABLE] !== '') // exactly the keys of the table
  const words = unused.map(([, word]) => word).join(', ')
  const file = project.root === '' ? dockerfile : `${project.root}/${dockerfile}`
  const { base, start, ports } = summaryOf(text ?? '', { buildArgs: build.buildArgs, target: build.buildTarget })
  const isOther = port !== null && ports.length > 0 && !ports.includes(port)
  return {
    builder: 'dockerfile',
    kind: 'dockerfile',
    title: 'Dockerfile',
    files: [file],
    versions: base === '' ? [] : [{ name: 'Base image', version: base, from: file }],
    commands: start === '' ? [] : [{ name: 'start', command: start, from: file }],
    outputDirectory: '',
    port,
    dockerfile: text ?? '',
    notes: [
      ...(isOther
        ? [`The Dockerfile exposes port ${ports.join(', ')}, but the app's port is ${port}. Set the port your app listens on.`]
        : []),
      ...(words === '' ? [] : [`The Dockerfile defines how the app is built and started. Ignored settings: ${words}.`]),
    ],
  }
}

function withRelease(plan: BuildPlan, { releaseCommand }: BuildConfig, inFile: string | undefined): BuildPlan {
  if (releaseCommand.trim() === '') return plan
  const from = inFile === undefined || inFile === '' ? 'the settings' : 'berth.json'
  return { ...plan, commands: [...plan.commands, { name: 'release', command: releaseCommand.trim(), from }] }
}
