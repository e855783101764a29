import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { PROGRAM_PATH, startGitServer } from '../../testing/harness/git-server.ts'
import { createGit } from './git.ts'
import { createSourcePolicy } from './source-policy.ts'

/** The machine's git, which calls itself otherwise. */
async function gitOfVersion(directory: string, version: string) {
  const programs = path.join(directory, version)
  await mkdir(programs)
  const script = `#!/bin/sh\n[ "$1" = --version ] && exec echo git version ${version}\nPATH=${PROGRAM_PATH} exec git "$@"\n`
  await writeFile(path.join(programs, 'git'), script)
  await chmod(path.join(programs, 'git'), 0o755)
  const policy = createSourcePolicy({ privateHosts: [], ownPorts: async () => [], connectTimeoutMs: 2_000 })
  return createGit({ policy, scratch: path.join(directory, 'scratch'), path: `${programs}:${PROGRAM_PATH}`, retryAfterMs: [] })
}

it.each([
  ['2.36.6', false],
  ['1.99', false],
  ['2.37.0', true],
  ['2.39.5', true],
  ['3.0.rc1', true],
])('git %s, which may or may not keep to the address that was vetted, is used over HTTP: %s', async (version, isUsed) => {
  const directory = await mkdtemp(path.join(tmpdir(), 'berth-git-version-'))
  await using server = await startGitServer()
  try {
    const { url, directory: repository } = await server.createRepository({ files: { a: '1' } })
    const git = await gitOfVersion(directory, version)
    server.requests.length = 0
    const answer = await git.listBranches({ url, privileged: true }).then(
      ({ branches }) => branches.join(),
      (cause: unknown) => String(cause),
    )
    expect(answer).toContain(isUsed ? 'main' : `it is ${version}, but must be 2.37 or newer`)
    expect(server.requests.length > 0).toBe(isUsed)
    // no name is looked up there
    expect((await git.listBranches({ url: `file://${repository}`, privileged: true })).branches).toEqual(['main'])
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
})
