import { spawnSync } from 'node:child_process'
import { chmod, lstat, mkdir, mkdtemp, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { buildContext } from './context.ts'

let directory = ''
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'berth-context-'))
})
afterEach(() => rm(directory, { recursive: true, force: true }))

async function unpacked(options: { dockerfile?: string } = {}): Promise<{ names: string[]; at: (name: string) => string }> {
  const archive = await buffer(buildContext({ directory: path.join(directory, 'source'), dockerfile: options.dockerfile ?? 'Dockerfile' }))
  const out = path.join(directory, 'out')
  await mkdir(out)
  const tar = spawnSync('tar', ['-x', '-p', '-C', out], { input: archive })
  expect(tar.stderr.toString()).toBe('')
  const names = spawnSync('tar', ['-t'], { input: archive }).stdout.toString().trim().split('\n')
  return { names: names.map((name) => name.replace(/\/$/, '')).toSorted(), at: (name) => path.join(out, name) }
}

async function source(files: Record<string, string>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(directory, 'source', name)
    await mkdir(path.dirname(file), { recursive: true })
    await writeFile(file, content)
  }
}

describe('a build context', () => {
  it('holds every file with its bytes and its mode', async () => {
    const long = `${'deep/'.repeat(30)}${'n'.repeat(120)}.txt`
    await source({ Dockerfile: 'FROM x', 'run.sh': 'echo', [long]: 'far down', 'ünï code.txt': 'ü', empty: '', big: 'x'.repeat(700_001) })
    await chmod(path.join(directory, 'source/run.sh'), 0o755)
    const { at } = await unpacked()
    expect(await readFile(at(long), 'utf8')).toBe('far down')
    expect(await readFile(at('ünï code.txt'), 'utf8')).toBe('ü')
    expect((await readFile(at('big'))).length).toBe(700_001)
    expect((await lstat(at('empty'))).size).toBe(0)
    expect((await lstat(at('run.sh'))).mode & 0o777).toBe(0o755)
  })

  it('keeps links as links and never reads what they point at', async () => {
    await source({ Dockerfile: 'FROM x' })
    await symlink('/etc/passwd', path.join(directory, 'source/outside'))
    await symlink('/etc', path.join(directory, 'source/directory'))
    const { names, at } = await unpacked()
    expect(names).toEqual(['Dockerfile', 'directory', 'outside'])
    expect(await readlink(at('outside'))).toBe('/etc/passwd')
    expect(await readlink(at('directory'))).toBe('/etc')
  })

  it('leaves out what .dockerignore names, but never the Dockerfile', async () => {
    await source({
      'docker/Dockerfile': 'FROM x',
      '.dockerignore': '*\n!src\n*.md',
      'src/a.ts': '1',
      'secret.env': 'x',
      'node_modules/a': '1',
    })
    expect((await unpacked({ dockerfile: 'docker/Dockerfile' })).names).toEqual(['.dockerignore', 'docker/Dockerfile', 'src', 'src/a.ts'])
  })

  it('prefers the ignore file of the Dockerfile itself', async () => {
    await source({ Dockerfile: 'FROM x', 'Dockerfile.dockerignore': 'a', '.dockerignore': 'b', a: '', b: '' })
    expect((await unpacked()).names).toContain('b')
  })

  it('leaves out pipes', async () => {
    await source({ Dockerfile: 'FROM x' })
    spawnSync('mkfifo', [path.join(directory, 'source/pipe')])
    expect((await unpacked()).names).toEqual(['Dockerfile'])
  })
})

it('a Dockerfile that was written takes the place of one by its name, and says what is left out where the repository does not', async () => {
  await source({ 'Dockerfile.x': 'of the repository', 'node_modules/a': '', 'index.js': '' })
  const options = {
    directory: path.join(directory, 'source'),
    dockerfile: 'Dockerfile.x',
    written: { text: 'FROM x', ignore: 'node_modules' },
  }
  const archive = await buffer(buildContext(options))
  const names = spawnSync('tar', ['-t'], { input: archive }).stdout.toString().trim().split('\n')
  expect(names.toSorted()).toEqual(['Dockerfile.x', 'index.js'])
  expect(spawnSync('tar', ['-x', '-O', 'Dockerfile.x'], { input: archive }).stdout.toString()).toBe('FROM x')
})
