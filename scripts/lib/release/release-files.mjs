import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { gitCommit } from '../build-stamp.mjs'
import { bundle } from '../bundle.mjs'
import { root } from '../paths.mjs'
import { environment, nodeFlags } from '../server-process.mjs'
import { nativeParts } from './platforms.mjs'
import { filesOfPackage, productionPackages } from './production-packages.mjs'

/** The programs find their release by their own place, also through links. */
function program(main, { flags = [], env = {} } = {}) {
  const variables = Object.entries(env).map(([name, value]) => `export ${name}="\${${name}:-${value}}"`)
  return [
    '#!/bin/sh',
    'release=$(dirname "$(dirname "$(readlink -f "$0")")")',
    ...variables,
    `exec "$release/bin/node" ${[...flags, `"$release/${main}"`].join(' ')} "$@"`,
    '',
  ].join('\n')
}

function* below(directory, target) {
  for (const entry of readdirSync(directory, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue
    const source = path.join(entry.parentPath, entry.name)
    yield { path: path.posix.join(target, path.relative(directory, source)), source, mode: 0o644 }
  }
}

const text = (name, contents, mode = 0o644) => ({ path: name, contents: Buffer.from(contents), mode })

/** What is said about a release in itself. */
function description({ version, platform }) {
  return JSON.stringify({ version, commit: gitCommit(), platform }, null, 2)
}

/** Every file of a release, with its path in the archive; bundles are written into `staging`. */
export async function releaseFiles({ staging, version, platform }) {
  const stage = (name) => path.join(staging, name)
  await Promise.all(['server', 'supervisor', 'cli'].map((name) => bundle(name, stage(name), { version })))
  const { node, argon } = await nativeParts(platform)
  const { NODE_COMPILE_CACHE: _cacheOfCheckout, ...variables } = environment
  const inPlace = (source) => ({ path: path.relative(root, source), source, mode: 0o644 })
  return [
    { path: 'bin/node', source: node, mode: 0o755 },
    text('bin/berth', program('packages/cli/dist/main.js'), 0o755),
    text('bin/berth-server', program('packages/server/dist/main.js', { flags: nodeFlags, env: variables }), 0o755),
    text('bin/berth-supervisor', program('supervisor/main.js', { flags: ['--max-old-space-size=64', '--max-semi-space-size=1'] }), 0o755),
    text('release.json', description({ version, platform })),
    text('package.json', '{ "type": "module", "private": true }\n'),
    { path: 'LICENSE', source: path.join(root, 'LICENSE'), mode: 0o644 },
    ...below(stage('server'), 'packages/server/dist'),
    ...below(stage('cli'), 'packages/cli/dist'),
    ...below(stage('supervisor'), 'supervisor'),
    ...below(path.join(root, 'packages/dashboard/dist'), 'packages/dashboard/dist'),
    ...productionPackages().flatMap((directory) => [...filesOfPackage(directory, platform)].map(inPlace)),
    ...below(argon.source, argon.target),
  ]
}

export const contentsOf = ({ contents, source }) => contents ?? readFileSync(source)
