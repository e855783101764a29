import { readFile, statfs } from 'node:fs/promises'
import { availableParallelism, cpus, freemem, loadavg, totalmem } from 'node:os'
import type { ServerMetrics } from '@berth/contract'

type Times = { busy: number; total: number }
type Traffic = { rx: number; tx: number; at: number }
type EngineCounts = ServerMetrics['docker']

function processorTimes(): Times {
  let busy = 0
  let total = 0
  for (const { times } of cpus()) {
    const sum = times.user + times.nice + times.sys + times.irq + times.idle
    total += sum
    busy += sum - times.idle
  }
  return { busy, total }
}

/** Memory that programs could still have; `freemem` alone counts the page cache as used. */
async function memory(): Promise<ServerMetrics['memory']> {
  const total = totalmem()
  const text = await readFile('/proc/meminfo', 'utf8').catch(() => '')
  const available = /^MemAvailable:\s+(\d+) kB$/m.exec(text)?.[1]
  return share(total - (available === undefined ? freemem() : Number(available) * 1024), total)
}

function share(used: number, total: number): { used: number; total: number; percent: number } {
  return { used, total, percent: total === 0 ? 0 : round((used / total) * 100) }
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

async function networkBytes(): Promise<Traffic> {
  const text = await readFile('/proc/net/dev', 'utf8').catch(() => '')
  let rx = 0
  let tx = 0
  for (const [, name, numbers] of text.matchAll(/^\s*([^:\s]+):\s*(.+)$/gm)) {
    if (name === undefined || numbers === undefined || /^(lo|veth|br-|docker)/.test(name)) continue
    const fields = numbers.trim().split(/\s+/).map(Number)
    rx += fields[0] ?? 0
    tx += fields[8] ?? 0
  }
  return { rx, tx, at: performance.now() }
}

/** One look at the machine a second, shared by everyone who watches; nobody watching, nothing is read. */
export function createServerMetrics(deps: { dataDir: string; engineCounts: () => Promise<EngineCounts> }) {
  let times = processorTimes()
  let traffic: Traffic | undefined
  let latest: { at: number; metrics: Promise<ServerMetrics> } | undefined

  function cpuUsage(): number {
    const next = processorTimes()
    const total = next.total - times.total
    const usage = total === 0 ? 0 : ((next.busy - times.busy) / total) * 100
    times = next
    return round(usage)
  }

  async function network(): Promise<ServerMetrics['network']> {
    const next = await networkBytes()
    const seconds = traffic ? (next.at - traffic.at) / 1000 : 0
    const rate =
      traffic && seconds > 0
        ? { rx: Math.round((next.rx - traffic.rx) / seconds), tx: Math.round((next.tx - traffic.tx) / seconds) }
        : { rx: 0, tx: 0 }
    traffic = next
    return rate
  }

  async function look(): Promise<ServerMetrics> {
    const disk = await statfs(deps.dataDir)
    const size = disk.blocks * disk.bsize
    return {
      cpu: { usage: cpuUsage(), cores: availableParallelism() },
      memory: await memory(),
      disk: share(size - disk.bavail * disk.bsize, size),
      load: loadavg().map(round),
      network: await network(),
      docker: await deps.engineCounts(),
    }
  }

  async function read(): Promise<ServerMetrics> {
    const now = performance.now()
    if (!latest || now - latest.at > 900) latest = { at: now, metrics: look() }
    return await latest.metrics
  }

  return { read }
}

export type ServerMetricsReader = ReturnType<typeof createServerMetrics>
