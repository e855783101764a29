import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../../..')
const pinned = join(root, 'node_modules/node/bin/node')
const versionOf = (node: string) => execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()
const majorOf = (version: string) => Number(/^v(\d+)\./.exec(version)?.[1] ?? 0)

/** The machine's own Node.js if it is older than the project's, as for somebody who installs the CLI. */
function oldestNode(): string {
  // npm puts the project's own Node.js first.
  const others = (process.env['PATH'] ?? '').split(delimiter).filter((entry) => entry !== '' && !entry.includes('node_modules'))
  try {
    const found = execFileSync('node', ['-p', 'process.execPath'], { encoding: 'utf8', env: { PATH: others.join(delimiter) } }).trim()
    const major = majorOf(versionOf(found))
    return major >= 20 && major < majorOf(versionOf(pinned)) ? found : pinned
  } catch {
    return pinned // the machine has none
  }
}

type Bundle = { directory: string; node: string; version: string; main: string }
let bundle: Bundle | undefined

/** The CLI as it is installed: bundled from these sources once per test process, with the oldest supported Node.js on this machine. */
export function bundledCli(): Bundle {
  if (bundle) return bundle
  const directory = mkdtempSync(join(tmpdir(), 'berth-cli-bundle-'))
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }))
  execFileSync(pinned, [join(root, 'scripts/build.mjs'), '--cli', directory], { stdio: ['ignore', 'ignore', 'pipe'] })
  const node = oldestNode()
  bundle = { directory, node, version: versionOf(node), main: join(directory, 'main.js') }
  return bundle
}
