import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { cacheDir, pinnedNode, root } from '../paths.mjs'
import { capture } from '../processes.mjs'

/** LIST of the platforms that all packages ship binaries for. */
const platforms = ['linux-x64', 'linux-arm64']
export const ownPlatform = `${process.platform}-${process.arch}`

const versionOf = (name) => JSON.parse(readFileSync(path.join(root, 'node_modules', name, 'package.json'), 'utf8')).version

async function orFail(program, args, options) {
  const { code, output } = await capture(program, args, options)
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} failed: ${output}`)
  return output
}

/** npm installs the packages of its own platform only; those of another one are fetched into the cache. */
async function fetched(name, version) {
  const directory = path.join(cacheDir, 'release-packages', `${name.replaceAll('/', '+')}@${version}`)
  if (existsSync(directory)) return directory
  const unfinished = `${directory}.unfinished`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished, { recursive: true })
  const packed = JSON.parse(await orFail('npm', ['pack', '--json', '--loglevel=error', `${name}@${version}`], { cwd: unfinished }))
  await orFail('tar', ['-xzf', packed[0].filename, '--strip-components=1'], { cwd: unfinished })
  rmSync(path.join(unfinished, packed[0].filename))
  renameSync(unfinished, directory)
  return directory
}

/** The Node.js of a platform, and the package with the native code of the password hashes. */
export async function nativeParts(platform) {
  if (!platforms.includes(platform)) throw new Error(`the platform must be one of ${platforms.join(', ')}`)
  const argon = `@node-rs/argon2-${platform}-gnu`
  const target = path.join('node_modules', argon)
  if (platform === ownPlatform) return { node: pinnedNode, argon: { source: path.join(root, target), target } }
  const node = await fetched(`node-${platform}`, versionOf('node'))
  return { node: path.join(node, 'bin/node'), argon: { source: await fetched(argon, versionOf('@node-rs/argon2')), target } }
}
