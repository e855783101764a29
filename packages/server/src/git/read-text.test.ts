import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { readTextUpTo } from './read-text.ts'

it('a text is read up to its limit, and nothing of a longer one', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'berth-text-'))
  try {
    const file = path.join(directory, 'text')
    await writeFile(file, 'grüße')
    expect(await readTextUpTo(file, 7)).toBe('grüße')
    expect(await readTextUpTo(file, 6)).toBeNull()
    await truncate(file, 2 ** 40) // more than could be read: takes no room on the disk
    expect(await readTextUpTo(file, 1024 ** 2)).toBeNull()
  } finally {
    await rm(directory, { recursive: true })
  }
})
