import { open } from 'node:fs/promises'

/** The text of a file in a repository, or null if it is too large; then nothing is read. */
export async function readTextUpTo(file: string, maxBytes: number): Promise<string | null> {
  await using handle = await open(file, 'r')
  return (await handle.stat()).size > maxBytes ? null : await handle.readFile('utf8')
}
