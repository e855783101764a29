// `npm run build`: the server and the CLI as bundles, the dashboard as static files. `--force` builds even when nothing changed.
// `--cli <directory>` bundles the CLI alone, into that directory.
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { gitCommit, isBuilt, sourcesFingerprint, writeStamp } from './lib/build-stamp.mjs'
import { ensureInstalled } from './lib/install.mjs'
import { bin, compileCache, root } from './lib/paths.mjs'
import { run } from './lib/processes.mjs'

const dayMs = 24 * 60 * 60 * 1000

// Packages that load native code, worker files or their own neighbours by path at run time.
const external = ['better-sqlite3', '@node-rs/argon2', 'pino', 'acme-client']
const isExternal = (id) => external.some((name) => id === name || id.startsWith(`${name}/`))

/** A running server may still load a chunk of the previous build, so old chunks stay for a day. */
function removeOldChunks(directory, current) {
  if (!existsSync(directory)) return
  for (const name of readdirSync(directory)) {
    const file = path.join(directory, name)
    if (!current.has(name) && Date.now() - statSync(file).mtimeMs > dayMs) rmSync(file)
  }
}

/**
 * An ES import of node:http reads all its properties, and one of them loads Node's whole fetch and WebSocket client, which the
 * server never uses (measured, 2 MB). Through `require` only what is named is read.
 */
const plainHttp = {
  name: 'plain-http',
  resolveId: { order: 'pre', handler: (id) => (id === 'node:http' || id === 'http' ? '\0plain-http' : null) },
  load(id) {
    if (id !== '\0plain-http') return null
    const properties = Object.entries(Object.getOwnPropertyDescriptors(http))
    const names = properties.filter(([, property]) => 'value' in property).map(([name]) => name)
    return `import { createRequire } from 'node:module'
const http = createRequire(import.meta.url)('node:http')
export const { ${names.join(', ')} } = http
export default http`
  },
}

/** One character beyond Latin-1 makes V8 keep the whole source in two bytes a character. No tagged template of ours has one. */
function escapeNonAscii(file) {
  const code = readFileSync(file, 'utf8')
  // oxlint-disable-next-line no-control-regex -- every character that is not ASCII
  const escaped = code.replaceAll(/[^\u0000-\u007f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  if (escaped !== code) writeFileSync(file, escaped)
}

/** The server runs on our own Node.js; the CLI on its user's, and without any packages. */
const bundles = {
  'packages/server': { target: 'node24', external: isExternal, plugins: [plainHttp] },
  'packages/cli': { target: 'node20', external: [], plugins: [] },
}

async function bundle(workspace, dir = path.join(root, workspace, 'dist')) {
  const input = path.join(root, workspace, 'src/main.ts')
  if (!existsSync(input)) return console.log(`${workspace}: no src/main.ts, nothing to bundle`)
  const { rolldown } = await import('rolldown')
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
  const define = { __BERTH_VERSION__: JSON.stringify(version), __BERTH_COMMIT__: JSON.stringify(gitCommit()) }
  const { target, external, plugins } = bundles[workspace]
  const build = await rolldown({ input, platform: 'node', external, transform: { define, target }, plugins, logLevel: 'warn' })
  const { output } = await build.write({
    dir,
    format: 'esm',
    sourcemap: false,
    // Minified sources take less memory; function names are kept for stack traces in the log.
    minify: { compress: { keepNames: { function: true, class: true } }, mangle: { keepNames: true }, codegen: { removeWhitespace: true } },
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
  })
  await build.close()
  for (const { fileName } of output) escapeNonAscii(path.join(dir, fileName))
  chmodSync(path.join(dir, 'main.js'), 0o755) // the CLI is started by its name
  removeOldChunks(path.join(dir, 'chunks'), new Set(output.map((file) => path.basename(file.fileName))))
}

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
    await bundle('packages/cli', path.resolve(process.argv[cliOnly + 1] ?? 'packages/cli/dist'))
    return 0
  }
  // Before the build: a file that changes during it must make the next build run again.
  const fingerprint = sourcesFingerprint()
  if (!process.argv.includes('--force') && isBuilt(fingerprint)) return console.log('The build is up to date.') ?? 0
  const begin = performance.now()
  await Promise.all([bundle('packages/server'), bundle('packages/cli'), buildDashboard()])
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
