// `npm run release -- --out <directory> [--key <file>]`: one archive with everything that Berth needs on a machine, and, with a key, the
// signed index that running instances read. `--new-key <file>` makes a key.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { isBuilt } from './lib/build-stamp.mjs'
import { ensureInstalled } from './lib/install.mjs'
import { pinnedNode, root } from './lib/paths.mjs'
import { run } from './lib/processes.mjs'

const { values } = parseArgs({
  options: {
    out: { type: 'string' },
    key: { type: 'string' },
    'new-key': { type: 'string' },
    version: { type: 'string' },
    platform: { type: 'string', multiple: true },
    channel: { type: 'string', default: 'stable' },
    notes: { type: 'string' },
    oldest: { type: 'string', default: '0.1.0' },
    engine: { type: 'string', default: '20.10.0' },
    quick: { type: 'boolean', default: false },
  },
})

/** Our own modules are TypeScript, which the Node.js that starts this script may not run. */
async function inPinnedNode() {
  if (!(await ensureInstalled())) return 1
  if (process.execPath === pinnedNode) return await main()
  return await run(pinnedNode, ['--disable-warning=ExperimentalWarning', ...process.argv.slice(1)])
}

function commitTime() {
  const git = spawnSync('git', ['log', '-1', '--format=%cI %ct'], { cwd: root, encoding: 'utf8' })
  const [iso = '', seconds = ''] = git.stdout.trim().split(' ')
  if (git.status !== 0) throw new Error('a release is made from a git checkout, whose commit it names')
  return { publishedAt: new Date(iso).toISOString(), mtimeSeconds: Number(seconds) }
}

async function makeArchive(options) {
  const { releaseFiles } = await import('./lib/release/release-files.mjs')
  const { writeArchive } = await import('./lib/release/write-archive.mjs')
  const { out, version, platform, mtimeSeconds } = options
  const staging = mkdtempSync(path.join(tmpdir(), 'berth-release-'))
  try {
    const files = await releaseFiles({ staging, version, platform })
    const file = `berth-${version}-${platform}.tar.gz`
    const level = values.quick ? 1 : 9
    const made = await writeArchive(files, { target: path.join(out, file), folder: `berth-${version}`, mtimeSeconds, level })
    console.log(`${file}  ${(made.bytes / 1e6).toFixed(1)} MB (${(made.unpackedBytes / 1e6).toFixed(1)} MB unpacked)  ${made.sha256}`)
    return { file, ...made }
  } finally {
    rmSync(staging, { recursive: true, force: true })
  }
}

/** Knows the checksums, so that whoever has the script needs to trust nothing else. */
function writeInstaller(out, version, archives) {
  const placeholders = { '@VERSION@': version }
  for (const [platform, { sha256 }] of Object.entries(archives))
    placeholders[`@SHA256_${platform.toUpperCase().replace('-', '_')}@`] = sha256
  const template = readFileSync(path.join(root, 'scripts/install.sh'), 'utf8')
  const script = Object.entries(placeholders).reduce((text, [name, value]) => text.replaceAll(name, value), template)
  writeFileSync(path.join(out, 'install.sh'), script, { mode: 0o755 })
}

async function main() {
  const { makeKey, addToIndex } = await import('./lib/release/index-file.mjs')
  if (values['new-key'] !== undefined) {
    console.log(`The public key: ${makeKey(values['new-key'])}`)
    return 0
  }
  if (!isBuilt() && (await run(pinnedNode, [path.join(root, 'scripts/build.mjs')])) !== 0) return 1
  const { productVersion } = await import('./lib/bundle.mjs')
  const { ownPlatform } = await import('./lib/release/platforms.mjs')
  const out = path.resolve(values.out ?? 'release')
  const version = values.version ?? productVersion()
  const { publishedAt, mtimeSeconds } = commitTime()
  mkdirSync(out, { recursive: true })
  const archives = {}
  for (const platform of values.platform ?? [ownPlatform]) archives[platform] = await makeArchive({ out, version, platform, mtimeSeconds })
  for (const { file, sha256 } of Object.values(archives)) writeFileSync(path.join(out, `${file}.sha256`), `${sha256}  ${file}\n`)
  writeInstaller(out, version, archives)
  if (values.key === undefined) return 0
  const notes = values.notes === undefined ? '' : readFileSync(values.notes, 'utf8').trim()
  const { channel, oldest, engine } = values
  addToIndex(path.join(out, 'index.json'), values.key, { version, channel, publishedAt, notes, oldest, engine, archives })
  console.log('index.json is signed.')
  return 0
}

try {
  process.exitCode = await inPinnedNode()
} catch (error) {
  console.error(`The release failed: ${error.message}`)
  process.exitCode = 1
}
