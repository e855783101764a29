import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { cpuSeconds } from '../../../../testing/harness/cpu-seconds.ts'
import { checkoutGaps } from './checkout-gaps.ts'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'berth-gaps-'))
})
afterEach(async () => await rm(directory, { recursive: true }))

const NONE = { submodules: [] }
const POINTER = `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 123456\n`

it('a whole checkout lacks nothing', async () => {
  await writeFile(join(directory, 'a.txt'), 'x'.repeat(130))
  expect(await checkoutGaps(directory, NONE)).toEqual([])
})

it('pointers of Git LFS are named', async () => {
  await mkdir(join(directory, 'models'))
  await writeFile(join(directory, '.gitattributes'), '*.bin filter=lfs diff=lfs merge=lfs -text\n')
  for (const name of ['a', 'b', 'c', 'd']) await writeFile(join(directory, 'models', `${name}.bin`), POINTER)
  await writeFile(join(directory, 'real.bin'), 'x'.repeat(130))
  await symlink('/etc/passwd', join(directory, 'link.bin'))
  const [said, ...rest] = await checkoutGaps(directory, NONE)
  expect(rest).toEqual([])
  expect(said).toMatch(/^models\/\w\.bin, models\/\w\.bin, models\/\w\.bin and 1 more: Git LFS files were not fetched/)
})

it('files that the Git LFS server does not have are named instead of the advice to turn it on', async () => {
  await writeFile(join(directory, '.gitattributes'), '*.bin filter=lfs diff=lfs merge=lfs -text\n')
  await writeFile(join(directory, 'a.bin'), POINTER)
  expect(await checkoutGaps(directory, { submodules: [], missing: [] })).toEqual([])
  expect(await checkoutGaps(directory, { submodules: [], missing: ['a.bin'] })).toEqual([
    'a.bin: the Git LFS server does not have these files, so the checkout only has their pointers. Push missing files with "git lfs push --all".',
  ])
})

it('pointers in a submodule are named too, and each only once', async () => {
  const submodules = ['lib', 'lib/deep']
  await mkdir(join(directory, 'lib', 'deep'), { recursive: true })
  for (const folder of ['', ...submodules]) await writeFile(join(directory, folder, '.gitattributes'), '*.bin filter=lfs\n')
  await writeFile(join(directory, 'lib', 'deep', 'a.bin'), POINTER)
  expect(await checkoutGaps(directory, { submodules })).toEqual([
    expect.stringMatching(
      /^lib\/deep\/a\.bin: Git LFS files were not fetched, so the checkout only has their pointers\. Turn on Settings → Git LFS/,
    ),
  ])
  expect(await checkoutGaps(directory, { submodules, missing: [] })).toEqual([]) // they were fetched
})

it('a link is not followed', async () => {
  await symlink('/etc/passwd', join(directory, '.gitmodules'))
  await symlink('/dev/zero', join(directory, '.gitattributes'))
  expect(await checkoutGaps(directory, NONE)).toEqual([])
})

it.each([
  ['line breaks', '\n'.repeat(65_000)],
  ['blanks', `path=x${' '.repeat(65_000)}y`],
])('settings of nothing but %s are read in one go', async (_, modules) => {
  await writeFile(join(directory, '.gitmodules'), modules)
  expect(await cpuSeconds(async () => expect(await checkoutGaps(directory, NONE)).toEqual([]))).toBeLessThan(0.3)
})

it('empty submodules are named, and paths outside the checkout are ignored', async () => {
  await mkdir(join(directory, 'lib', 'theme'), { recursive: true })
  await mkdir(join(directory, 'copied'))
  await writeFile(join(directory, 'copied', 'file'), '')
  const paths = ['lib/theme', 'copied', '../elsewhere', '/etc/nothing']
  await writeFile(
    join(directory, '.gitmodules'),
    paths.map((path) => `[submodule "x"]\n\tpath = ${path}\n\turl = https://x.example/y\n`).join(''),
  )
  expect(await checkoutGaps(directory, NONE)).toEqual([
    'lib/theme: empty, because git submodules are not fetched. Turn on Settings → Submodules, or commit the files to the repository.',
  ])
})
