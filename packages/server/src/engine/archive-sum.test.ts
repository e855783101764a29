import { expect, it } from 'vitest'
import { type ArchiveSum, summed } from './archive-sum.ts'
import { END_OF_ARCHIVE, headerOf, paddingFor, type TarEntry } from './build/tar.ts'

const file = (path: string, contents: string, more: Partial<TarEntry> = {}) => {
  const header = headerOf({ path, kind: 'file', mode: 0o644, size: contents.length, mtimeSeconds: 1, ...more })
  return Buffer.concat([header, Buffer.from(contents), paddingFor(contents.length)])
}

/** In chunks of an odd size. */
async function sumOf(...entries: Buffer[]): Promise<ArchiveSum & { passed: Buffer }> {
  const archive = Buffer.concat(entries)
  async function* chunks() {
    for (let at = 0; at < archive.length; at += 777) yield await Promise.resolve(archive.subarray(at, at + 777))
  }
  let sum: ArchiveSum | undefined
  const passed: Buffer[] = []
  for await (const piece of summed(chunks(), (found) => (sum = found))) passed.push(piece)
  if (sum === undefined) throw new Error('it did not end')
  return { ...sum, passed: Buffer.concat(passed) }
}

const LONG = `data/${'long/'.repeat(40)}name`

it('passes an archive on as it is, and counts its files and their bytes', async () => {
  const entries = [
    headerOf({ path: 'data', kind: 'directory', mode: 0o755, size: 0, mtimeSeconds: 1 }),
    file('data/a', 'hello'),
    file(LONG, 'x'),
  ]
  const found = await sumOf(...entries, END_OF_ARCHIVE, Buffer.alloc(4096))
  expect(found).toMatchObject({ files: 2, bytes: 6 })
  expect(found.passed).toEqual(Buffer.concat([...entries, END_OF_ARCHIVE]))
})

it('has the same checksum for the same files whenever they were written, and another one for every other difference', async () => {
  const checksum = async (...entries: Buffer[]) => (await sumOf(...entries, END_OF_ARCHIVE)).checksum
  const known = await checksum(file('data/a', 'hello'))
  expect(await checksum(file('data/a', 'hello', { mtimeSeconds: 99 }))).toBe(known)
  const others = [
    file('data/a', 'hellO'),
    file('data/b', 'hello'),
    file('data/a', 'hello', { mode: 0o600 }),
    file('data/a', 'hello', { owner: { uid: 70, gid: 0 } }),
    file('data/a', 'hello', { owner: { uid: 0, gid: 70 } }),
    headerOf({ path: 'data/a', kind: 'symlink', mode: 0o644, size: 0, mtimeSeconds: 1, linkTarget: 'hello' }),
  ]
  const found = await Promise.all(others.map(async (entry) => await checksum(entry)))
  expect(new Set([known, ...found]).size).toBe(others.length + 1)
})

it('an archive that ends too early is an error', async () => {
  await expect(sumOf(file('data/a', 'hello'))).rejects.toThrow('ended too early')
  await expect(sumOf(file('data/a', 'hello').subarray(0, 514))).rejects.toThrow('ended too early')
})

it('an archive with more than may be written is an error before the contents that are too much, however large they say they are', async () => {
  const huge = headerOf({ path: 'data/holes', kind: 'file', mode: 0o644, size: 8 * 1024 ** 4, mtimeSeconds: 1 })
  const passed: Buffer[] = []
  const archive = async function* () {
    yield* await Promise.resolve([file('data/a', 'hello'), huge])
    throw new Error('the contents were asked for')
  }
  const all = async () => {
    for await (const piece of summed(archive(), () => undefined, 1024 ** 4)) passed.push(piece)
  }
  await expect(all()).rejects.toThrow('no space left')
  expect(Buffer.concat(passed)).toEqual(Buffer.concat([file('data/a', 'hello'), huge]))
})
