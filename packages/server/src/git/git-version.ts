import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { SourceRefused } from './errors.ts'

const run = promisify(execFile)
const OLDEST = { major: 2, minor: 37 }

/**
 * Older ones do not know `http.curloptResolve`: they would ask the name server again, and connect to whatever it says then, instead of the
 * address that was vetted.
 */
export function createVersionCheck(deps: { path: string }) {
  let isNewEnough = false

  return async function check(): Promise<void> {
    if (isNewEnough) return
    const { stdout } = await run('git', ['--version'], { env: { PATH: deps.path } })
    const [, version = '', major = '0', minor = '0'] = /((\d+)\.(\d+)\S*)/.exec(stdout) ?? []
    isNewEnough = Number(major) > OLDEST.major || (Number(major) === OLDEST.major && Number(minor) >= OLDEST.minor)
    if (!isNewEnough)
      throw new SourceRefused(
        `This server's Git is too old to reach a repository over HTTP safely: it is ${version}, and must be ${OLDEST.major}.${OLDEST.minor} or newer. Ask whoever runs the server to update it.`,
      )
  }
}
