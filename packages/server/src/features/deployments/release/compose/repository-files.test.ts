import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ComposePlan, StackService } from '../../../../engine/compose/stack.ts'
import { archiveFrom, keepFiles, refuseTooMuchPlaced } from './plan-files.ts'
import { createRepositoryFiles } from './repository-files.ts'

let workspace = ''
beforeEach(async () => {
  workspace = await mkdtemp(join(tmpdir(), 'berth-files-'))
  await mkdir(join(workspace, 'site/.git'), { recursive: true })
  await writeFile(join(workspace, 'site/$id page.html'), 'one')
  await writeFile(join(workspace, 'site/.git/config'), 'no')
  await writeFile(join(workspace, 'run.sh'), '#!/bin/sh')
  await chmod(join(workspace, 'run.sh'), 0o750)
  await symlink('../run.sh', join(workspace, 'site/start'))
})
afterEach(() => rm(workspace, { recursive: true }))

function planWith(more: Partial<StackService>): ComposePlan {
  const service = { name: 'a', image: 'x', environment: {}, restart: { policy: 'no' }, dependsOn: [], mounts: [], ports: [] } as const
  return { services: [{ ...service, aliases: [], capDrop: [], ...more }], builds: [], routedService: null }
}

const read = async (path: string) => await createRepositoryFiles(workspace).read(path)

it('reads files and folders of the commit, with links that stay inside', async () => {
  expect(await read('run.sh')).toMatchObject({ kind: 'file', mode: 0o755, text: '#!/bin/sh' })
  expect(await read('nothing')).toEqual({ kind: 'missing' })
  const found = await read('site')
  expect(found.kind === 'directory' && found.files.map(({ path, mode }) => [path, mode])).toEqual([
    ['$id page.html', 0o644],
    ['start', 0o755],
  ])
})

it.each(['/etc/hostname', '../../../etc/hostname', '/etc'])('refuses a link to %s, as a file and within a folder', async (target) => {
  await symlink(target, join(workspace, 'out'))
  await symlink(target, join(workspace, 'site/out'))
  for (const path of ['out', 'site'])
    expect(await read(path)).toEqual({ kind: 'refused', why: expect.stringContaining('is a link that points outside the repository') })
})

it('has a size limit', async () => {
  await writeFile(join(workspace, 'site/large'), Buffer.alloc(21 * 1024 ** 2))
  expect(await read('site')).toEqual({ kind: 'refused', why: expect.stringContaining('more than 20 MiB or 5000 files') })
})

it('counts directories and broken links too, across all named paths, and stops with the deployment', async () => {
  for (let index = 0; index < 100; index += 1) await symlink('nowhere', join(workspace, `site/l${index}`))
  const repository = createRepositoryFiles(workspace)
  const again = await repository.read('site')
  expect(await repository.read('site')).toEqual(again) // it is read once
  for (let index = 0; index < 250; index += 1) await symlink('site', join(workspace, `s${index}`))
  for (let index = 0; index < 250; index += 1) expect((await repository.read(`s${index}`)).kind).toBe('directory')
  for (let index = 0; index < 20_000; index += 1) await repository.read('').catch(() => undefined)
  expect(await repository.read('run.sh')).toEqual({ kind: 'refused', why: expect.stringContaining('more than 20000 entries') })
  await expect(createRepositoryFiles(workspace, AbortSignal.abort()).read('site')).rejects.toThrow('aborted')
})

it('reports a name that is not UTF-8', async () => {
  await writeFile(Buffer.concat([Buffer.from(join(workspace, 'site/')), Buffer.from([0xff, 0xfe])]), 'x')
  expect(await read('site')).toEqual({ kind: 'refused', why: expect.stringContaining('whose name is not UTF-8') })
})

it('keeps what a plan needs beside it, and packs it for the engine', async () => {
  const repository = createRepositoryFiles(workspace)
  const found = await repository.read('run.sh')
  if (found.kind !== 'file') throw new Error('it is a file')
  const files = [
    { path: '/bin/run', mode: found.mode, blob: found.blob },
    { path: '/motd', mode: 0o444, text: 'hello' },
  ]
  await keepFiles(join(workspace, 'kept'), planWith({ files }), repository.blobs)
  const archive = (await archiveFrom(join(workspace, 'kept'), files)).toString('latin1')
  for (const piece of ['bin/run', '#!/bin/sh', 'motd', 'hello']) expect(archive).toContain(piece)
})

it('limits the total size, even if one file is used many times', () => {
  const blobs = new Map([['b', Buffer.alloc(1024 ** 2)]])
  const filesOf = (count: number, blob = 'b') => Array.from({ length: count }, (_, index) => ({ path: `/${index}`, mode: 0o644, blob }))
  const mountsOf = (volume: string, count: number) => ({ volume, path: '/x', fill: { files: filesOf(count), once: false } })
  const placing = (more: Partial<StackService>) => () => refuseTooMuchPlaced(planWith(more), blobs)
  expect(placing({ files: filesOf(5), mounts: [mountsOf('one', 15), mountsOf('one', 15)] })).not.toThrow()
  expect(placing({ files: filesOf(6), mounts: [mountsOf('one', 15)] })).toThrow('more than 20 MiB or 5000 files')
  expect(placing({ files: filesOf(6), mounts: [mountsOf('one', 8), mountsOf('two', 8)] })).toThrow('more than 20 MiB')
  expect(placing({ files: filesOf(5001, 'empty') })).toThrow('more than 20 MiB or 5000 files')
})
