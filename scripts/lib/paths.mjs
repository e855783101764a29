import path from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../', import.meta.url)).replace(/\/$/, '')
export const cacheDir = path.join(root, 'node_modules/.cache/berth')
export const compileCache = path.join(cacheDir, 'compile-cache')

/** The Node.js that Berth runs on: an npm dependency, because the machine's own may be older. */
export const pinnedNode = path.join(root, 'node_modules/node/bin/node')

export const bin = (name) => path.join(root, 'node_modules/.bin', name)
