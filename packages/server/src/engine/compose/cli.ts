import path from 'node:path'
import { addressText, type EngineAddress } from '../api/address.ts'
import { EngineUnreachable } from '../api/errors.ts'
import type { Transport } from '../api/transport.ts'
import { runCompose } from './process.ts'

type OnLine = (line: string, stream: 'stdout' | 'stderr') => void
export type Project = { readonly name: string; readonly directory: string; readonly signal: AbortSignal; readonly onLine: OnLine }

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
/** What is run. It lies in the project's directory. */
export const FILE = 'compose.json'
// Named, so that Compose does not look for a .env file of its own; /dev/null is not a file to the older one.
export const NO_ENV_FILE = 'empty.env'

// The words of either Compose when its connection to the engine fails; a registry that cannot be reached reads otherwise.
const NO_ENGINE = /Docker daemon|Connection aborted|RemoteDisconnected|UnixHTTPConnectionPool|error during connect|(dial|read|write) unix/i

/** Whichever Compose the machine has. */
export function createComposeCli(deps: {
  path: string
  /** An empty directory of ours. */
  home: string
  address: EngineAddress
  engine: Pick<Transport, 'ping'>
}) {
  const env = { PATH: deps.path, HOME: deps.home, DOCKER_HOST: addressText(deps.address) }
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
    if (code !== 0) throw await failureOf(deps.engine, lastLines, `exit code ${code}`)
  }

  return run
}

/** Compose does not always say that the engine went away in the middle, so it is asked too. */
async function failureOf(engine: Pick<Transport, 'ping'>, lastLines: readonly string[], otherwise: string): Promise<Error> {
  const isGone = await engine.ping().then(
    () => false,
    () => true,
  )
  if (isGone || lastLines.some((line) => NO_ENGINE.test(line))) return new EngineUnreachable('Docker Compose could not reach it')
  return new ComposeFailed(`Docker Compose could not start or stop the app: ${tellingLine(lastLines) ?? otherwise}`, lastLines)
}

/** The last line that says what went wrong; the older Compose ends with one that does not. */
function tellingLine(lines: readonly string[]): string | undefined {
  return lines.findLast((line) => line.trim() !== '' && !/^(ERROR: )?Encountered errors while/.test(line))
}
