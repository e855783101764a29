import { existsSync, statSync, utimesSync } from 'node:fs'
import path from 'node:path'
import { pinnedNode, root } from './paths.mjs'
import { capture, run } from './processes.mjs'

const lockfile = path.join(root, 'package-lock.json')
const installed = path.join(root, 'node_modules/.package-lock.json') // npm writes it last

function isInstalled() {
  if (!existsSync(installed) || !existsSync(pinnedNode)) return false
  return statSync(installed).mtimeMs >= statSync(lockfile).mtimeMs
}

/** Installs the dependencies when the lockfile is newer than what is installed; answers whether they are there. */
export async function ensureInstalled() {
  if (isInstalled()) return true
  console.log('Installing dependencies …')
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error']
  let { code } = await capture('npm', ['ci', ...quiet])
  if (code !== 0) {
    // A registry mirror may lack the binaries of other platforms, which `npm ci` insists on and `npm install` skips.
    console.log('`npm ci` refused the lockfile here; using `npm install --no-save`, which tolerates missing optional packages.')
    code = await run('npm', ['install', '--no-save', ...quiet])
  }
  if (code !== 0 || !existsSync(pinnedNode)) {
    console.error('The dependencies could not be installed. Check that the npm registry is reachable, then try again.')
    return false
  }
  // npm leaves the time alone when nothing changed, and the next start would install again.
  const now = new Date()
  utimesSync(installed, now, now)
  return true
}
