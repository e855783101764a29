import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { SourceRefused } from './errors.ts'

const run = promisify(execFile)
const TIMEOUT_MS = 20_000
const OLDEST = { major: 2, minor: 37 }

/**
 * Older versions do not have `http.curloptResolve`: they would resolve the name again and might connect to another address than the one
 * that was checked.
 */
export function createVersionCheck(deps: { path: string }) {
  let isNewEnough = false

  return async function check(): Promise<void> {
    if (isNewEnough) return
    const { stdout } = await run('git', ['--version'], { env: { PATH: deps.path }, timeout: TIMEOUT_MS })
    const [, version = '', major = '0', minor = '0'] = /((\d+)\.(\d+)\S*)/.exec(stdout) ?? []
    isNewEnough = Number(major) > OLDEST.major || (Number(major) === OLDEST.major && Number(minor) >= OLDEST.minor)
    if (!isNewEnough)
      throw new SourceRefused(
        `The Git on this server is too old to clone over HTTP safely: it is ${version}, but must be ${OLDEST.major}.${OLDEST.minor} or newer. Ask an admin to update it.`,
      )
  }
}
