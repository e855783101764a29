// Bundles of the server, the supervisor and the CLI: made by the build and by a release.
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import path from 'node:path'
import { gitCommit } from './build-stamp.mjs'
import { root } from './paths.mjs'

const dayMs = 24 * 60 * 60 * 1000

/** Packages that load native code, worker files or their own neighbours by path at run time. */
export const external = ['better-sqlite3', '@node-rs/argon2', 'pino', 'acme-client']
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

/** The server and the supervisor run on our own Node.js; the CLI on its user's, and without any packages. */
const bundles = {
  server: { input: 'packages/server/src/main.ts', target: 'node24', external: isExternal, plugins: [plainHttp] },
  supervisor: { input: 'packages/server/src/supervisor/main.ts', target: 'node24', external: [], plugins: [plainHttp] },
  cli: { input: 'packages/cli/src/main.ts', target: 'node20', external: [], plugins: [] },
}

export function productVersion() {
  return JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')).version
}

/** Writes `main.js` and its chunks into a directory, where chunks of the previous build stay for a day. */
export async function bundle(name, dir, { version = productVersion() } = {}) {
  const { rolldown } = await import('rolldown')
  const { input, target, external, plugins } = bundles[name]
  const define = { __BERTH_VERSION__: JSON.stringify(version), __BERTH_COMMIT__: JSON.stringify(gitCommit()) }
  const build = await rolldown({
    input: path.join(root, input),
    platform: 'node',
    external,
    transform: { define, target },
    plugins,
    logLevel: 'warn',
  })
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
