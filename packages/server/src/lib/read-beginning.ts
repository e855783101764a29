import { open } from 'node:fs/promises'

/** The first bytes of a file as text, whatever its reported size: files in /proc report none. */
export async function readBeginning(file: string, mostBytes: number): Promise<string> {
  await using handle = await open(file, 'r')
  const buffer = Buffer.alloc(mostBytes)
  let length = 0
  while (length < mostBytes) {
    const { bytesRead } = await handle.read(buffer, length, mostBytes - length)
    if (bytesRead === 0) break
    length += bytesRead
  }
  return buffer.toString('utf8', 0, length)
}
