import { readFile, statfs } from 'node:fs/promises'
import { availableParallelism, cpus, freemem, loadavg, totalmem } from 'node:os'
import type { ServerMetrics } from '@berth/contract'

/** Counters that only increase, with the time they were read. Two of them give a rate. */
export type Counters = { busy: number; total: number; rx: number; tx: number; at: number }
type MachineMetrics = Omit<ServerMetrics, 'docker'>

function round(value: number): number {
  return Math.round(value * 10) / 10
}

function processorTimes(): Pick<Counters, 'busy' | 'total'> {
  let busy = 0
  let total = 0
  for (const { times } of cpus()) {
    const sum = times.user + times.nice + times.sys + times.irq + times.idle
    total += sum
    busy += sum - times.idle
  }
  return { busy, total }
}

async function networkBytes(): Promise<Pick<Counters, 'rx' | 'tx'>> {
  const text = await readFile('/proc/net/dev', 'utf8').catch(() => '')
  let rx = 0
  let tx = 0
  for (const [, name, numbers] of text.matchAll(/^\s*([^:\s]+):\s*(.+)$/gm)) {
    if (name === undefined || numbers === undefined || /^(lo|veth|br-|docker)/.test(name)) continue
    const fields = numbers.trim().split(/\s+/).map(Number)
    rx += fields[0] ?? 0
    tx += fields[8] ?? 0
  }
  return { rx, tx }
}

export async function readCounters(): Promise<Counters> {
  return { ...(await networkBytes()), ...processorTimes(), at: performance.now() }
}

export function ratesBetween(before: Counters, after: Counters): { usage: number; network: ServerMetrics['network'] } {
  const total = after.total - before.total
  const seconds = (after.at - before.at) / 1000
  // if an interface disappears, the total shrinks: that counts as no traffic, not as negative traffic
  const perSecond = (bytes: number): number => (seconds > 0 ? Math.max(0, Math.round(bytes / seconds)) : 0)
  return {
    usage: total > 0 ? round(((after.busy - before.busy) / total) * 100) : 0,
    network: { rx: perSecond(after.rx - before.rx), tx: perSecond(after.tx - before.tx) },
  }
}

function share(used: number, total: number): { used: number; total: number; percent: number } {
  return { used, total, percent: total === 0 ? 0 : round((used / total) * 100) }
}

/** Memory available to programs; `freemem` alone counts the page cache as used. */
async function memory(): Promise<ServerMetrics['memory']> {
  const total = totalmem()
  const text = await readFile('/proc/meminfo', 'utf8').catch(() => '')
  const available = /^MemAvailable:\s+(\d+) kB$/m.exec(text)?.[1]
  return share(total - (available === undefined ? freemem() : Number(available) * 1024), total)
}

/** One sample of the machine; rates are the mean since `before`. */
export async function lookAtMachine(dataDir: string, before: Counters, after: Counters): Promise<MachineMetrics> {
  const disk = await statfs(dataDir)
  const size = disk.blocks * disk.bsize
  const { usage, network } = ratesBetween(before, after)
  return {
    cpu: { usage, cores: availableParallelism() },
    memory: await memory(),
    disk: share(size - disk.bavail * disk.bsize, size),
    load: loadavg().map(round),
    network,
  }
}
