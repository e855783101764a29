import { mkdir, mkdtempDisposable, readdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { removeTree } from './remove-tree.ts'

it('removes a folder, whatever its name, and nothing beside it', async () => {
  await using temp = await mkdtempDisposable(join(tmpdir(), 'berth-remove-'))
  const names = ['-rf', 'with blank', '*', '$HOME']
  for (const name of [...names, 'stays']) {
    await mkdir(join(temp.path, name, 'deep'), { recursive: true })
    await writeFile(join(temp.path, name, 'deep/file'), 'x')
  }
  for (const name of names) await removeTree(join(temp.path, name))
  await removeTree(join(temp.path, 'not there'))
  expect(await readdir(temp.path)).toEqual(['stays'])
})

it('says why it could not', async () => {
  await expect(removeTree('/proc/self/task')).rejects.toThrow('a folder could not be removed: rm: cannot remove')
})
