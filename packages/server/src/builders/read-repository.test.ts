import { writeFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { cpuSeconds } from '../../testing/harness/cpu-seconds.ts'
import { detect } from './detect.ts'
import { projectAt } from './project.ts'
import { readRepository } from './read-repository.ts'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'berth-'))
})
afterEach(async () => await rm(directory, { recursive: true, force: true }))

async function write(name: string, content: string | Buffer = ''): Promise<void> {
  await mkdir(path.dirname(path.join(directory, name)), { recursive: true })
  await writeFile(path.join(directory, name), content)
}

it('reads the project and the manifests of its parent directories, and nothing else', async () => {
  for (const file of ['package.json', 'turbo.json', 'apps/web/package.json', 'apps/web/src/a.ts', 'apps/api/package.json', '.git/config'])
    await write(file, '{}')
  await write('apps/web/node_modules/x/package.json', '{}')
  const { paths, texts } = await readRepository(directory, 'apps/web')
  expect([...paths].toSorted()).toEqual(['apps/web/package.json', 'apps/web/src/a.ts', 'package.json', 'turbo.json'])
  expect([...texts.keys()].toSorted()).toEqual(['apps/web/package.json', 'package.json'])
})

it('follows no links to files or directories', async () => {
  await write('elsewhere/package.json', 'of somebody else')
  await mkdir(path.join(directory, 'project'))
  await symlink(path.join(directory, 'elsewhere/package.json'), path.join(directory, 'project/package.json'))
  await symlink(path.join(directory, 'elsewhere'), path.join(directory, 'project/src'))
  const { paths, texts } = await readRepository(path.join(directory, 'project'), '')
  expect([...paths, ...texts.values()]).toEqual([])
})

it('reads the beginning of a long file only', async () => {
  await write('package.json', Buffer.alloc(5_000_000, 'x'))
  expect((await readRepository(directory, '')).texts.get('package.json')).toHaveLength(128 * 1024)
})

it('a large repository is listed and detected quickly', async () => {
  for (let folder = 0; folder < 200; folder += 1) {
    await mkdir(path.join(directory, `packages/p${folder}`), { recursive: true })
    for (let file = 0; file < 20; file += 1)
      writeFileSync(path.join(directory, `packages/p${folder}`, file === 0 ? 'package.json' : `${file}.ts`), '{}')
  }
  await write('package.json', JSON.stringify({ scripts: { start: 'node x.js' } }))
  const settings = { installCommand: '', buildCommand: '', startCommand: '', outputDirectory: '' }
  const readAndDetect = async () => {
    const files = await readRepository(directory, '')
    expect(files.paths.size).toBe(4001)
    expect(detect(projectAt(files, ''), { settings, port: 80, buildArgs: [] })?.plan.title).toBe('npm, Node.js 24')
  }
  await readAndDetect()
  expect(await cpuSeconds(readAndDetect)).toBeLessThan(0.3)
})
