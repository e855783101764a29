import { open } from 'node:fs/promises'

/** The text of a file of a repository, or null when it has more bytes than it may: nothing of it is read then. */
export async function readTextUpTo(file: string, maxBytes: number): Promise<string | null> {
  await using handle = await open(file, 'r')
  return (await handle.stat()).size > maxBytes ? null : await handle.readFile('utf8')
}
