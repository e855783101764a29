import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { type ArchiveSum, summed } from './archive-sum.ts'
import { END_OF_ARCHIVE, headerOf, paddingFor, paxHeader, type TarEntry } from './build/tar.ts'

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
  expect(Buffer.concat(passed)).toEqual(Buffer.concat([file('data/a', 'hello'), huge.subarray(0, -512)])) // its extended header
})

/** The bytes that were passed on before an archive was refused, and why. */
async function refusalOf(entries: readonly Buffer[], mostBytes?: number): Promise<{ passed: number; why: string }> {
  let passed = 0
  const all = async () => {
    for await (const piece of summed(Readable.from(entries), () => undefined, mostBytes)) passed += piece.length
  }
  const why = await all().then(
    () => '',
    (error: unknown) => String(error),
  )
  return { passed, why }
}

const typed = (type: string, header: Buffer) => Buffer.concat([header.subarray(0, 156), Buffer.from(type), header.subarray(157)])
const paxOf = (values: Record<string, string>) =>
  paxHeader(new Map(Object.entries(values).map(([key, value]) => [key, Buffer.from(value)])))
const NAMED = file('x', 'data/a')
const LINKED = typed('K', NAMED)

it.each<[string, Buffer[]]>([
  ['a sparse file of GNU tar', [typed('S', file('data/a', 'hello'))]],
  ['a sparse file in extended headers', [paxOf({ 'GNU.sparse.realsize': '1000000000000' }), file('data/a', 'hello')]],
  ['a file of the oldest tar, which can be a directory', [typed('\0', file('data/a/', 'hello'))]],
  ['a type that nobody knows', [typed('Z', file('data/a', 'hello'))]],
  ['a size that is empty', [paxOf({ size: '' }), file('data/a', 'hello')]],
  ['a size with a sign', [paxOf({ size: '+5' }), file('data/a', 'hello')]],
  ['a size that is not a whole number', [paxOf({ size: '5e0' }), file('data/a', 'hello')]],
  ['two extended headers before one entry', [paxOf({ size: '5' }), paxOf({ mtime: '1' }), file('data/a', 'hello')]],
  ['a header for all entries after one for the next', [paxOf({ size: '5' }), typed('g', paxOf({ mtime: '1' })), file('data/a', 'hello')]],
  ['two long names', [LINKED, LINKED, file('data/a', 'hello')]],
])('refuses what no engine writes: %s', async (_name, entries) => {
  const { passed, why } = await refusalOf([file('data/before', 'x'), ...entries, END_OF_ARCHIVE])
  expect(why).toContain('is not as Docker writes them')
  const [first = Buffer.alloc(0)] = entries
  expect(passed).toBeLessThanOrEqual(file('data/before', 'x').length + first.length) // and nothing of the entry
})

it('refuses a size that engines read as another one', async () => {
  const bad = ['-0000000005\0', '\0' + '0000000005\0', '5 5\0', '0x5\0', ''].map((digits) => {
    const header = Buffer.from(file('data/a', 'hello'))
    header.fill(0, 124, 136).write(digits, 124, 'latin1')
    return header
  })
  for (const entry of bad) expect((await refusalOf([entry, END_OF_ARCHIVE])).why).toContain('is not as Docker writes them')
})

it('takes one extended header of each kind before an entry', async () => {
  const entries = [typed('g', paxOf({ mtime: '1' })), LINKED, typed('L', NAMED), paxOf({ size: '5', uid: '70' }), file('other', 'hello')]
  expect(await sumOf(...entries, END_OF_ARCHIVE)).toMatchObject({ files: 1, bytes: 5 })
})

it('refuses extended headers without an end at the second one', async () => {
  let given = 0
  const archive = async function* () {
    while (given < 9) {
      given += 1
      yield await Promise.resolve(paxOf({ [`key${given}`]: 'value' }))
    }
  }
  const all = async () => {
    for await (const _piece of summed(archive(), () => undefined, 1024 ** 2));
  }
  await expect(all()).rejects.toThrow('is not as Docker writes them')
  expect(given).toBe(2)
})

it.each<[string, Buffer]>([
  ['directories', headerOf({ path: 'data', kind: 'directory', mode: 0o755, size: 0, mtimeSeconds: 1 })],
  ['links', headerOf({ path: 'data/a', kind: 'symlink', mode: 0o644, size: 0, mtimeSeconds: 1, linkTarget: 'hello' })],
  ['small files', file('data/a', 'hello')],
])('counts %s as 4 KiB each where room is judged, and not in its bytes', async (_name, entry) => {
  const entries = [...Array.from({ length: 100 }, () => entry), END_OF_ARCHIVE]
  expect((await refusalOf(entries, 100 * 4096)).why).toBe('')
  const { passed, why } = await refusalOf(entries, 50 * 4096)
  expect(why).toContain('no space left')
  expect(passed).toBe(50 * entry.length)
  expect((await sumOf(...entries)).bytes).toBe(entry.length > 512 ? 500 : 0)
})

it('counts whole blocks of files, and their attributes', async () => {
  const attributed = [paxOf({ 'SCHILY.xattr.user.a': 'x'.repeat(5000) }), file('data/a', 'y'.repeat(4097)), END_OF_ARCHIVE]
  expect((await refusalOf(attributed, 8192 + 5000)).why).toContain('no space left')
  expect((await refusalOf(attributed, 8192 + 5100)).why).toBe('')
})
