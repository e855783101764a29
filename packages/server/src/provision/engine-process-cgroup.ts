import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, readlink, realpath, writeFile } from 'node:fs/promises'
import path from 'node:path'

const OWN_GROUP = 'berth-engine'
const ENGINE_NAMES = ['dockerd']

/** Where cgroup v2 is mounted: alone, or beside v1. */
function groupsRoot(): string | undefined {
  return ['/sys/fs/cgroup', '/sys/fs/cgroup/unified'].find((directory) => existsSync(path.join(directory, 'cgroup.procs')))
}

/** Gives an engine that we started its own cgroup, so that packet rules can match its connections. */
export async function moveToOwnGroup(pid: number): Promise<void> {
  const root = groupsRoot()
  if (root === undefined) return
  const group = path.join(root, OWN_GROUP)
  try {
    await mkdir(group, { recursive: true })
    await writeFile(path.join(group, 'cgroup.procs'), String(pid), { flag: 'r+' })
  } catch {
    // The engine works without one too; the firewall reports what is missing.
  }
}

/** The cgroup of the engine that listens on this socket, or undefined if it shares one. */
export async function engineGroup(socketPath: string): Promise<string | undefined> {
  const pid = await listenerOf(socketPath)
  const group = pid === undefined ? undefined : await groupOf(pid)
  if (group === undefined || group === '' || group === (await groupOf('self'))) return undefined
  return group
}

/** The command lines of the processes in a cgroup. */
export async function commandsIn(group: string): Promise<string[][]> {
  const text = await readFile(path.join(groupsRoot() ?? '', group, 'cgroup.procs'), 'utf8').catch(() => '')
  const pids = text.split('\n').filter((pid) => /^[1-9]\d*$/.test(pid))
  return await Promise.all(pids.map(async (pid) => (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0')))
}

async function groupOf(pid: string): Promise<string | undefined> {
  const text = await readFile(`/proc/${pid}/cgroup`, 'utf8').catch(() => '')
  return /^0::\/(.*)$/m.exec(text)?.[1]
}

/** A service manager may hold the same socket, so the process is chosen by name. */
async function listenerOf(socketPath: string): Promise<string | undefined> {
  const inodes = await inodesOf(await real(socketPath))
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  for (const pid of pids) {
    const name = (await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')).trim()
    if (ENGINE_NAMES.includes(name) && (await holdsOne(pid, inodes))) return pid
  }
  return undefined
}

async function inodesOf(socketPath: string): Promise<Set<string>> {
  const lines = (await readFile('/proc/net/unix', 'utf8').catch(() => '')).split('\n')
  const listening = lines.map((line) => line.trim().split(/\s+/)).filter((fields) => fields[7] !== undefined)
  const inodes = new Set<string>()
  for (const [, , , , , , inode = '', bound = ''] of listening) if ((await real(bound)) === socketPath) inodes.add(`socket:[${inode}]`)
  return inodes
}

async function holdsOne(pid: string, inodes: ReadonlySet<string>): Promise<boolean> {
  const descriptors = await readdir(`/proc/${pid}/fd`).catch(() => [])
  const targets = await Promise.all(descriptors.map((name) => readlink(`/proc/${pid}/fd/${name}`).catch(() => '')))
  return targets.some((target) => inodes.has(target))
}

async function real(file: string): Promise<string> {
  return path.join(await realpath(path.dirname(file)).catch(() => path.dirname(file)), path.basename(file))
}
