/** The tar format, as much of it as a build context needs: ustar headers, and a pax header where a name or a size does not fit. */
export type TarEntry = {
  readonly path: string
  readonly kind: 'file' | 'directory' | 'symlink'
  readonly mode: number
  readonly size: number
  readonly mtimeSeconds: number
  readonly linkTarget?: string
  /** Root unless given. */
  readonly owner?: { readonly uid: number; readonly gid: number }
}

export type PlainFile = { readonly path: string; readonly mode: number; readonly contents: Buffer }

export const BLOCK = 512
const TYPE = { file: '0', directory: '5', symlink: '2' } as const satisfies Record<TarEntry['kind'], string>
const MAX_NAME = 100
const MAX_OCTAL_SIZE = 0o77777777777

export const END_OF_ARCHIVE = Buffer.alloc(BLOCK * 2)

/** A whole archive of small plain files. Times are zero, so the same files give the same archive. */
export function archiveOf(files: readonly PlainFile[]): Buffer {
  const parts = files.flatMap(({ path, mode, contents }) => {
    const header = headerOf({ path, mode, kind: 'file', size: contents.length, mtimeSeconds: 0 })
    return [header, contents, paddingFor(contents.length)]
  })
  return Buffer.concat([...parts, END_OF_ARCHIVE])
}

export function headerOf(entry: TarEntry): Buffer {
  const path = entry.kind === 'directory' && !entry.path.endsWith('/') ? `${entry.path}/` : entry.path
  const link = entry.linkTarget ?? ''
  const long: Record<string, string> = {
    ...(fits(path) ? {} : { path }),
    ...(fits(link) ? {} : { linkpath: link }),
    ...(entry.size > MAX_OCTAL_SIZE ? { size: String(entry.size) } : {}),
  }
  const plain = block({ ...entry, path, linkTarget: link }, TYPE[entry.kind])
  if (Object.keys(long).length === 0) return plain
  return Buffer.concat([paxHeader(new Map(Object.entries(long).map(([key, value]) => [key, Buffer.from(value)]))), plain])
}

/** What does not fit into the header of the entry after it. */
export function paxHeader(values: ReadonlyMap<string, Buffer>): Buffer {
  const records = Buffer.concat([...values].map(([key, value]) => paxRecord(key, value)))
  const header = block({ path: 'pax', kind: 'file', mode: 0o644, size: records.length, mtimeSeconds: 0 }, 'x')
  return Buffer.concat([header, records, paddingFor(records.length)])
}

export function paddingFor(size: number): Buffer {
  return Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK)
}

function block(entry: TarEntry, type: string): Buffer {
  const header = Buffer.alloc(BLOCK)
  header.write(fits(entry.path) ? entry.path : 'see-pax-header', 0, MAX_NAME, 'utf8')
  header.write(octal(entry.mode & 0o7777, 7), 100)
  header.write(octal(entry.owner?.uid ?? 0, 7), 108)
  header.write(octal(entry.owner?.gid ?? 0, 7), 116)
  header.write(octal(Math.min(entry.size, MAX_OCTAL_SIZE), 11), 124)
  header.write(octal(Math.max(0, Math.floor(entry.mtimeSeconds)), 11), 136)
  header.write('        ', 148)
  header.write(type, 156)
  header.write(fits(entry.linkTarget ?? '') ? (entry.linkTarget ?? '') : '', 157, MAX_NAME, 'utf8')
  header.write('ustar\u000000', 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${octal(sum, 6)}\u0000 `, 148)
  return header
}

function fits(name: string): boolean {
  return Buffer.byteLength(name) < MAX_NAME && /^[\x20-\x7e]*$/.test(name)
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, '0')
}

// The length includes itself, so it is found by trial.
function paxRecord(key: string, value: Buffer): Buffer {
  const rest = Buffer.concat([Buffer.from(` ${key}=`), value, Buffer.from('\n')])
  let length = rest.length
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length
  return Buffer.concat([Buffer.from(String(length)), rest])
}
