import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { filesBelow } from './files-below.ts'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'berth-files-'))
  await mkdir(join(directory, 'a', 'b'), { recursive: true })
  for (const name of ['one', 'a/two', 'a/b/three']) await writeFile(join(directory, name), '')
  await symlink('/etc', join(directory, 'link'))
})
afterEach(async () => await rm(directory, { recursive: true }))

async function all(mostEntries: number, skip?: ReadonlySet<string>): Promise<string[]> {
  const found: string[] = []
  for await (const file of filesBelow(directory, mostEntries, skip)) found.push(file)
  return found
}

it('gives every file, and follows no link', async () => {
  const found = await all(100)
  expect(found.map((file) => file.slice(directory.length + 1)).toSorted()).toEqual(['a/b/three', 'a/two', 'one'])
})

it('leaves out the folders to skip', async () => {
  expect(await all(100, new Set([join(directory, 'a')]))).toEqual([join(directory, 'one')])
})

it('stops while it walks, and does not read the rest', async () => {
  expect((await all(4)).length).toBeLessThan(3)
  expect(await all(0)).toEqual([])
})
