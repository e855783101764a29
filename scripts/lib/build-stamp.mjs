import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { cacheDir, root } from './paths.mjs'

const stamp = path.join(cacheDir, 'build-stamp')
const skipped = new Set(['node_modules', 'dist', 'test', 'testing', 'fixtures'])
const notBuilt = /[.](test[.]tsx?|long[.]ts|md)$/

/** What the build makes, each only when its source is there. */
const products = [
  { source: 'packages/server/src/main.ts', output: 'packages/server/dist/main.js' },
  { source: 'packages/cli/src/main.ts', output: 'packages/cli/dist/main.js' },
  { source: 'packages/dashboard/vite.config.ts', output: 'packages/dashboard/dist/index.html' },
]

export function gitCommit() {
  const git = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  return git.status === 0 ? git.stdout.trim() : 'unknown'
}

function* filesUnder(directory) {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const file = path.join(directory, entry.name)
    if (entry.isDirectory() && !skipped.has(entry.name)) yield* filesUnder(file)
    if (entry.isFile() && !notBuilt.test(entry.name)) yield file
  }
}

/** Names, sizes and times of everything that goes into the build; a removed file changes it as much as an edited one. */
export function sourcesFingerprint() {
  const hash = createHash('sha256')
  const single = ['package.json', 'package-lock.json', 'tsconfig.base.json', 'scripts/build.mjs', 'scripts/lib/bundle.mjs'].map((name) =>
    path.join(root, name),
  )
  for (const file of [...single, ...filesUnder(path.join(root, 'packages'))]) {
    const { mtimeMs, size } = statSync(file)
    hash.update(`${file} ${mtimeMs} ${size}\n`)
  }
  return hash.update(gitCommit()).digest('hex')
}

export function isBuilt(fingerprint = sourcesFingerprint()) {
  const present = products.every(({ source, output }) => !existsSync(path.join(root, source)) || existsSync(path.join(root, output)))
  return present && existsSync(stamp) && readFileSync(stamp, 'utf8') === fingerprint
}

export function writeStamp(fingerprint) {
  mkdirSync(cacheDir, { recursive: true })
  writeFileSync(stamp, fingerprint)
}
