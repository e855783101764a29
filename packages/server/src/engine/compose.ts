import { access, mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { BuildRequest, LimitedBuild } from './build.ts'
import { buildContext } from './build-context.ts'
import type { ComposePlan } from './compose-policy.ts'
import { runCompose } from './compose-process.ts'
import type { EngineAddress } from './connection.ts'
import { EngineUnreachable, SpecRefused } from './errors.ts'
import { createTransport, type Transport } from './transport.ts'

type OnLine = (line: string, stream: 'stdout' | 'stderr') => void
type Project = { readonly name: string; readonly directory: string; readonly signal: AbortSignal; readonly onLine: OnLine }
type Inside = (workspace: string, repoPath: string) => Promise<{ path: string; kind: 'file' | 'directory' } | null>

/** The Compose CLI failed, or there is none. */
export class ComposeFailed extends Error {
  override readonly name = 'ComposeFailed'
  readonly lastLines: readonly string[]
  constructor(message: string, lastLines: readonly string[] = []) {
    super(message)
    this.lastLines = lastLines
  }
}

const CLIS = [
  { command: 'docker', first: ['compose'] },
  { command: 'docker-compose', first: [] },
] as const
const KEPT_LINES = 20
const FILE = 'compose.json'
// Named, so that Compose does not look for a .env file of its own; /dev/null is not a file to the older one.
const NO_ENV_FILE = 'empty.env'

// The words of either Compose when its connection to the engine fails; a registry that cannot be reached reads otherwise.
const NO_ENGINE = /Docker daemon|Connection aborted|RemoteDisconnected|UnixHTTPConnectionPool|error during connect|(dial|read|write) unix/i

/** Multi-container apps, through whichever Compose the machine has. It only ever sees files that `planCompose` wrote. */
export function createCompose(deps: {
  build: LimitedBuild
  inside: Inside
  path: string
  /** An empty directory of ours. */
  home: string
  /** As in DOCKER_HOST. */
  engineUrl: string
}) {
  const env = { PATH: deps.path, HOME: deps.home, DOCKER_HOST: deps.engineUrl }
  const transport = createTransport({ address: addressOf(deps.engineUrl) })
  let known: (typeof CLIS)[number] | null = null

  async function cli(signal: AbortSignal): Promise<(typeof CLIS)[number]> {
    if (known !== null) return known
    for (const candidate of CLIS) {
      const args = [...candidate.first, 'version']
      const code = await runCompose({ command: candidate.command, args, cwd: '/', env, onLine: () => undefined, signal })
      if (code === 0) {
        known = candidate
        return candidate
      }
    }
    throw new ComposeFailed('This machine has no Docker Compose. Install the package docker-compose or the compose plugin.')
  }

  async function run(project: Project, args: readonly string[]): Promise<void> {
    const { command, first } = await cli(project.signal)
    const at = (file: string) => path.join(project.directory, file)
    const common = ['--ansi', 'never', '--project-name', project.name, '--project-directory', project.directory]
    const whole = [...first, ...common, '--env-file', at(NO_ENV_FILE), '--file', at(FILE), ...args]
    let lastLines: readonly string[] = []
    const onLine: OnLine = (line, stream) => {
      lastLines = [...lastLines.slice(1 - KEPT_LINES), line]
      project.onLine(line, stream)
    }
    const code = await runCompose({ command, args: whole, cwd: project.directory, env, onLine, signal: project.signal })
    if (code !== 0) throw await failureOf(transport, lastLines, `exit code ${code}`)
  }

  /**
   * Builds what the plan builds. By the engine's own build and not by the CLI, so that cancel, limits and output are the same as for every
   * other app, and no build outlives us.
   */
  async function build(
    plan: ComposePlan,
    options: Pick<BuildRequest, 'labels' | 'onLine' | 'signal'> & { workspace: string },
  ): Promise<void> {
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
      const contextTar = buildContext({ directory: directory.path, dockerfile, signal: options.signal })
      await deps.build({ ...common, contextTar, dockerfile, tag: image, buildArgs: args, ...(target === undefined ? {} : { target }) })
    }
  }

  async function up(plan: ComposePlan, project: Project): Promise<void> {
    await mkdir(project.directory, { recursive: true, mode: 0o700 })
    // Environment values are in it.
    await writeFile(path.join(project.directory, FILE), plan.file, { mode: 0o600 })
    await writeFile(path.join(project.directory, NO_ENV_FILE), '')
    await run(project, ['up', '--detach', '--no-build', '--remove-orphans', '--quiet-pull'])
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

  return { build, up, down }
}

export type Compose = ReturnType<typeof createCompose>

/** Compose does not always say that the engine went away in the middle, so it is asked too. */
async function failureOf(engine: Pick<Transport, 'ping'>, lastLines: readonly string[], otherwise: string): Promise<Error> {
  const isGone = await engine.ping().then(
    () => false,
    () => true,
  )
  if (isGone || lastLines.some((line) => NO_ENGINE.test(line))) return new EngineUnreachable('Docker Compose could not reach it')
  return new ComposeFailed(`Docker Compose could not start or stop the app: ${tellingLine(lastLines) ?? otherwise}`, lastLines)
}

function addressOf(engineUrl: string): EngineAddress {
  const { protocol, pathname, hostname, port } = new URL(engineUrl)
  return protocol === 'unix:' ? { socketPath: pathname } : { host: hostname, port: Number(port) }
}

/** The last line that says what went wrong; the older Compose ends with one that does not. */
function tellingLine(lines: readonly string[]): string | undefined {
  return lines.findLast((line) => line.trim() !== '' && !/^(ERROR: )?Encountered errors while/.test(line))
}
