import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DeploymentFailure } from '../../run/stage.ts'

const LOOK_DEPTH = 3
const MOST_NAMED = 5
const MOST_DIRECTORIES = 500

/** Why there is nothing to build, with the Dockerfiles that may be meant. */
export function noDockerfile(wanted: string, found: readonly string[], isNothingElse = false): DeploymentFailure {
  const named = found.slice(0, MOST_NAMED)
  const hint = found.length === 0 ? 'No Dockerfile was found anywhere near it' : `Found: ${named.join(', ')}`
  const other = isNothingElse
    ? ' There is also no other file that tells Berth how to build it, such as a package.json, requirements.txt, go.mod or index.html.'
    : ''
  return new DeploymentFailure(
    `There is no ${wanted} in the build root. ${hint}.${other} Check Settings → Dockerfile and Settings → Root directory.`,
    { facts: { kind: 'no_dockerfile', found: named } },
  )
}

export async function dockerfilesBelow(root: string, depth = 0, left = { directories: MOST_DIRECTORIES }): Promise<string[]> {
  if (depth > LOOK_DEPTH || left.directories <= 0) return []
  left.directories -= 1
  const entries = await readdir(root, { withFileTypes: true })
  const here = entries.filter((entry) => entry.isFile() && /dockerfile/i.test(entry.name)).map((entry) => entry.name)
  const below = entries.filter((entry) => entry.isDirectory() && entry.name !== '.git' && entry.name !== 'node_modules').slice(0, 50)
  const deeper = await Promise.all(
    below.map(async (entry) => (await dockerfilesBelow(join(root, entry.name), depth + 1, left)).map((path) => `${entry.name}/${path}`)),
  )
  return [...here, ...deeper.flat()]
}
