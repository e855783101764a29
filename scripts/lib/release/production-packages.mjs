import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { external } from '../bundle.mjs'
import { root } from '../paths.mjs'

const left = new Set(['test', 'tests', '__tests__', 'docs', 'example', 'examples', 'bench', 'benchmarks', 'node_modules', '.github'])
const runs = /[.](c?js|mjs|json|node)$/
const license = /^licen[cs]e/i

function packageDirectory(name, from) {
  for (let directory = from; directory.startsWith(root); directory = path.dirname(directory)) {
    const found = path.join(directory, 'node_modules', name)
    if (existsSync(path.join(found, 'package.json'))) return found
  }
  return undefined
}

/** Directories of the packages that the bundle of the server loads at run time, with what those need. */
export function productionPackages() {
  const found = new Set()
  const visit = (name, from) => {
    const directory = packageDirectory(name, from)
    if (directory === undefined) throw new Error(`the package ${name} is not installed`)
    if (found.has(directory)) return
    found.add(directory)
    const { dependencies = {} } = JSON.parse(readFileSync(path.join(directory, 'package.json'), 'utf8'))
    for (const needed of Object.keys(dependencies)) visit(needed, directory)
  }
  for (const name of external) visit(name, root)
  return [...found]
}

function isOtherPlatform(file, platform) {
  const [, prebuilt] = /better-sqlite3\/prebuilds\/(.+)[.]node$/.exec(file) ?? []
  return /better-sqlite3\/(deps|src)\//.test(file) || (prebuilt !== undefined && prebuilt !== platform)
}

/** Code, native code of one platform, and licences: no tests, types, maps or sources. */
export function* filesOfPackage(directory, platform) {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const file = path.join(directory, entry.name)
    if (entry.isDirectory() && !left.has(entry.name)) yield* filesOfPackage(file, platform)
    if (entry.isFile() && (runs.test(entry.name) || license.test(entry.name)) && !isOtherPlatform(file, platform)) yield file
  }
}
