import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { runProcess } from '../../lib/child-process.ts'
import { databasePath } from '../../store/sqlite/open.ts'
import { whyUnhealthy } from '../../supervisor/health.ts'
import { schemaVersionOf } from './store.ts'

type Deps = {
  /** Copies the database and its keys into a directory, in a process of its own. */
  copyData: (directory: string, signal: AbortSignal) => Promise<void>
  path: string
  /** Where the compiled code of a version is kept, for its next start. */
  cacheOf: (version: string) => string
  startMs: number
}
type Rehearsed = { keepsData: boolean }

/** Starts a new version on a copy of the data, on a port of its own and without engine and edge, and looks at its health. */
export function createRehearse({ copyData, path, cacheOf, startMs }: Deps) {
  return async function rehearse(
    release: { program: string; version: string },
    directory: string,
    signal: AbortSignal,
  ): Promise<Rehearsed> {
    await rm(directory, { recursive: true, force: true })
    try {
      await copyData(directory, signal)
      const before = schemaVersionOf(databasePath(directory))
      await tryOut(release, directory, signal)
      return { keepsData: schemaVersionOf(databasePath(directory)) === before }
    } finally {
      await rm(directory, { recursive: true, force: true })
    }
  }

  async function tryOut({ program, version }: { program: string; version: string }, directory: string, signal: AbortSignal) {
    const over = new AbortController()
    const address = Promise.withResolvers<string>()
    const said = { stdout: '', stderr: '' }
    const ending = runProcess(program, [], {
      env: { ...environment(directory), NODE_COMPILE_CACHE: cacheOf(version), PATH: path },
      onOutput: (chunk, stream) => {
        said[stream] = (said[stream] + chunk.toString('utf8')).slice(-20_000)
        const url = /Berth listens on +(http:\S+)/.exec(said.stdout)?.[1]
        if (url !== undefined) address.resolve(url)
      },
      signal: AbortSignal.any([signal, over.signal, AbortSignal.timeout(startMs)]),
      endWith: 'SIGKILL',
      isInputHeld: true,
    })
    const ended = ending.then(
      (code) => new Error(`Berth ${version} does not start with a copy of the data: ${reasonIn(said.stderr) || `exit code ${code}`}`),
      (cause: unknown) => (cause instanceof Error ? cause : new Error(String(cause))),
    )
    try {
      const url = await Promise.race([address.promise, ended])
      if (url instanceof Error) throw url
      const problem = await whyUnhealthy(url, version)
      if (problem !== undefined) throw new Error(`Berth ${version} is not healthy with a copy of the data: ${problem}`)
    } finally {
      over.abort()
      await ended
    }
  }
}

/** Nothing outside of the copy can be reached. */
function environment(directory: string): Record<string, string> {
  return {
    BERTH_DATA_DIR: directory,
    BERTH_UPDATE_MODE: 'rehearsal',
    BERTH_PROVISION: 'off',
    DOCKER_HOST: `unix://${join(directory, 'no-engine.sock')}`,
    HOST: '127.0.0.1',
    PORT: '0',
  }
}

/** The sentence of a refused start, or the message of an error among its stack. */
function reasonIn(errors: string): string {
  const lines = errors.split('\n').map((line) => line.trim())
  const message = lines.find((line) => /^\w*Error\b.*: /.test(line))
  return message ?? lines.findLast((line) => line !== '' && !line.startsWith('Node.js v')) ?? ''
}
