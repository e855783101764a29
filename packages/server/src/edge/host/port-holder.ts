import { readdir, readFile, readlink } from 'node:fs/promises'

const LISTENING = '0A'

/** The name of the program that listens on a port, or undefined if we may not see it. */
export async function portHolder(port: number): Promise<string | undefined> {
  const tables = await Promise.all(['/proc/net/tcp', '/proc/net/tcp6'].map((path) => readFile(path, 'utf8').catch(() => '')))
  const sockets = new Set(tables.flatMap((table) => listeningInodes(table, port)).map((inode) => `socket:[${inode}]`))
  if (sockets.size === 0) return undefined
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    if (await holdsAny(pid, sockets)) return (await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')).trim() || undefined
  }
  return undefined
}

/** The inodes in a `/proc/net/tcp` table that listen on this port. */
export function listeningInodes(table: string, port: number): string[] {
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  return table
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, , state]) => local?.endsWith(wanted) === true && state === LISTENING)
    .flatMap((fields) => fields[9] ?? [])
}

async function holdsAny(pid: string, sockets: ReadonlySet<string>): Promise<boolean> {
  // processes come and go meanwhile, and some we may not inspect
  const names = await readdir(`/proc/${pid}/fd`).catch(() => [])
  for (const name of names) {
    if (sockets.has(await readlink(`/proc/${pid}/fd/${name}`).catch(() => ''))) return true
  }
  return false
}
