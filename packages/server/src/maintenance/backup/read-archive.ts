import type { ArchivedFile } from './archive.ts'
import { createByteReader } from './byte-reader.ts'
import { DamagedBackup } from './damaged-backup.ts'

const BLOCK = 512
const [FILE, PAX] = ['0', 'x']
const LONGEST_PAX = 64 * 1024

/** Reads the files of a tar archive one after another. Contents that were not read are skipped when the next file is requested. */
export async function* readArchive(chunks: AsyncIterable<Buffer>): AsyncGenerator<ArchivedFile> {
  const bytes = createByteReader(chunks)
  let pax: ReadonlyMap<string, string> = new Map()
  for (;;) {
    const header = await bytes.take(BLOCK)
    if (header.every((byte) => byte === 0)) return await bytes.end()
    const { path, size, type } = parseHeader(header)
    if (type === PAX && size <= LONGEST_PAX) {
      pax = paxRecords((await bytes.take(size)).toString('utf8'))
      await bytes.take(paddingOf(size))
      continue
    }
    if (type !== FILE) throw new DamagedBackup(`it holds ${path}, which is not a plain file`)
    const file = { path: pax.get('path') ?? path, size: Number(pax.get('size') ?? size) }
    pax = new Map()
    const contents = bytes.piece(file.size)
    yield { ...file, contents }
    for await (const _ of contents) void _ // skip unread contents
    await bytes.take(paddingOf(file.size))
  }
}

function parseHeader(header: Buffer): { path: string; size: number; type: string } {
  const text = (from: number, to: number) => header.subarray(from, to).toString('latin1').split('\0')[0] ?? ''
  const sum = header.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0)
  if (Number.parseInt(text(148, 156), 8) !== sum) throw new DamagedBackup('it is not a backup, or a part of it was changed')
  return { path: text(0, 100), size: Number.parseInt(text(124, 136), 8), type: text(156, 157) }
}

/** Records such as `27 path=compose/app-1/…`: the length, a name and a value, each ended by a line break. */
function paxRecords(text: string): ReadonlyMap<string, string> {
  return new Map(
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const [, name = '', value = ''] = /^\d+ ([a-z]+)=(.*)$/s.exec(line) ?? []
        return [name, value]
      }),
  )
}

function paddingOf(size: number): number {
  return (BLOCK - (size % BLOCK)) % BLOCK
}
