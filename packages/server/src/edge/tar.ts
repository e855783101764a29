export type TarEntry = { readonly path: string; readonly mode: number; readonly contents: Buffer }

const BLOCK = 512

/** A tar archive (ustar) of plain files. Times and owners are zero, so the same files give the same archive. */
export function tarArchive(entries: readonly TarEntry[]): Buffer {
  const parts = entries.flatMap((entry) => {
    const padding = Buffer.alloc((BLOCK - (entry.contents.length % BLOCK)) % BLOCK)
    return [header(entry), entry.contents, padding]
  })
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)])
}

function header(entry: TarEntry): Buffer {
  const block = Buffer.alloc(BLOCK)
  if (Buffer.byteLength(entry.path) > 100) throw new Error(`path too long for this archive: ${entry.path}`)
  block.write(entry.path, 0)
  block.write(octal(entry.mode, 7), 100)
  block.write(octal(0, 7), 108)
  block.write(octal(0, 7), 116)
  block.write(octal(entry.contents.length, 11), 124)
  block.write(octal(0, 11), 136)
  block.write('        ', 148) // the sum is made with blanks in its own place
  block.write('0', 156)
  block.write('ustar\0', 257)
  block.write('00', 263)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${octal(sum, 6)}\0 `, 148)
  return block
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, '0')
}
