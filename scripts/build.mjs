// `npm run build`: the server and the CLI as bundles, the dashboard as static files. `--force` builds even when nothing changed.
// `--cli <directory>` bundles the CLI alone, into that directory.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { isBuilt, sourcesFingerprint, writeStamp } from './lib/build-stamp.mjs'
import { bundle } from './lib/bundle.mjs'
import { ensureInstalled } from './lib/install.mjs'
import { bin, compileCache, root } from './lib/paths.mjs'
import { run } from './lib/processes.mjs'

const distOf = (name) => path.join(root, 'packages', name, 'dist')

/** Compressed once here instead of on each request: the server sends these files to browsers that support it. */
function compressFiles(directory) {
  for (const entry of readdirSync(directory, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile() || !/\.(js|css|html|svg)$/.test(entry.name)) continue
    const file = path.join(entry.parentPath, entry.name)
    writeFileSync(`${file}.gz`, gzipSync(readFileSync(file), { level: 9 }))
  }
}

async function buildDashboard() {
  const workspace = path.join(root, 'packages/dashboard')
  if (!existsSync(path.join(workspace, 'vite.config.ts'))) return console.log('packages/dashboard: no vite.config.ts, nothing to build')
  const code = await run(bin('vite'), ['build', '--logLevel', 'warn', '--config', path.join(workspace, 'vite.config.ts'), workspace])
  if (code !== 0) throw new Error('vite could not build the dashboard')
  compressFiles(path.join(workspace, 'dist'))
}

async function main() {
  if (!(await ensureInstalled())) return 1
  const cliOnly = process.argv.indexOf('--cli')
  if (cliOnly > 0) {
    await bundle('cli', path.resolve(process.argv[cliOnly + 1] ?? distOf('cli')))
    return 0
  }
  // Before the build: a file that changes during it must make the next build run again.
  const fingerprint = sourcesFingerprint()
  if (!process.argv.includes('--force') && isBuilt(fingerprint)) return console.log('The build is up to date.') ?? 0
  const begin = performance.now()
  await Promise.all([bundle('server', distOf('server')), bundle('cli', distOf('cli')), buildDashboard()])
  rmSync(compileCache, { recursive: true, force: true }) // it belongs to the previous build
  writeStamp(fingerprint)
  console.log(`Built in ${((performance.now() - begin) / 1000).toFixed(1)} s`)
  return 0
}

try {
  process.exitCode = await main()
} catch (error) {
  console.error(`The build failed: ${error.message}`)
  process.exitCode = 1
}
