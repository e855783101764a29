import { readdir, readlink } from 'node:fs/promises'

/** How often this process has a file open now. */
export async function timesOpen(path: string): Promise<number> {
  const links = await Promise.all((await readdir('/proc/self/fd')).map(async (fd) => await readlink(`/proc/self/fd/${fd}`).catch(() => '')))
  return links.filter((link) => link === path).length
}
