import { access, mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'

export type BuildLimits = {
  readonly memoryBytes: number
  readonly cpus?: number | undefined
  /** Processes and threads. */
  readonly processes?: number | undefined
}
type Log = { info(fields: object, message: string): void; warn(fields: object, message: string): void }

/** The cgroup that engines put build steps under when they honour `cgroupparent`. */
export const BUILD_CGROUP = 'berth-build'
// Engine 20.10 ignores both `memory` and `cgroupparent` for BuildKit and runs every step here.
const ENGINE_BUILD_CGROUP = 'docker/buildkit'
const CPU_PERIOD_US = 100_000

/**
 * Limits the resources of all builds together, by writing to their cgroup, so that running apps stay responsive. Best effort: with a
 * remote engine, or in a container without the host's cgroups, builds run without limits.
 */
export function createBuildLimits(deps: { log: Log; cgroupRoot?: string }) {
  const { log, cgroupRoot = '/sys/fs/cgroup' } = deps

  async function apply(limits: BuildLimits): Promise<{ applied: readonly string[] }> {
    const isUnified = await exists(path.join(cgroupRoot, 'cgroup.controllers'))
    const groups = [ENGINE_BUILD_CGROUP, BUILD_CGROUP].map((group) => (isUnified ? unified(group, limits) : legacy(group, limits)))
    return { applied: (await Promise.all(groups.map(write))).flat() }
  }

  /** In order: one may depend on the one before. */
  async function write(writes: readonly Write[]): Promise<string[]> {
    const applied: string[] = []
    for (const { directory, file, value } of writes) {
      const target = path.join(cgroupRoot, directory, file)
      try {
        await mkdir(path.dirname(target), { recursive: true })
        await writeFile(target, value, { flag: 'r+' }) // never creates: outside a cgroup file system this would be a stray file
        applied.push(path.join(directory, file))
      } catch (err) {
        log.info({ err, file: path.join(directory, file) }, 'build limit not written')
      }
    }
    return applied
  }

  return { apply }
}

export type BuildLimiter = ReturnType<typeof createBuildLimits>
type Write = { readonly directory: string; readonly file: string; readonly value: string }

function unified(group: string, limits: BuildLimits): Write[] {
  const cpu =
    limits.cpus === undefined
      ? []
      : [{ directory: group, file: 'cpu.max', value: `${Math.round(limits.cpus * CPU_PERIOD_US)} ${CPU_PERIOD_US}` }]
  return [
    { directory: group, file: 'memory.max', value: String(limits.memoryBytes) },
    { directory: group, file: 'memory.swap.max', value: '0' },
    ...cpu,
    ...(limits.processes === undefined ? [] : [{ directory: group, file: 'pids.max', value: String(limits.processes) }]),
  ]
}

function legacy(group: string, limits: BuildLimits): Write[] {
  const quota =
    limits.cpus === undefined
      ? []
      : [{ directory: `cpu/${group}`, file: 'cpu.cfs_quota_us', value: String(Math.round(limits.cpus * CPU_PERIOD_US)) }]
  return [
    // Without it the limit of the parent does not include its children.
    { directory: `memory/${group}`, file: 'memory.use_hierarchy', value: '1' },
    { directory: `memory/${group}`, file: 'memory.limit_in_bytes', value: String(limits.memoryBytes) },
    { directory: `memory/${group}`, file: 'memory.memsw.limit_in_bytes', value: String(limits.memoryBytes) },
    // Memory with swap may never be below memory alone, so when the limit is raised the first write fails and this one succeeds.
    { directory: `memory/${group}`, file: 'memory.limit_in_bytes', value: String(limits.memoryBytes) },
    ...quota,
    ...(limits.processes === undefined ? [] : [{ directory: `pids/${group}`, file: 'pids.max', value: String(limits.processes) }]),
  ]
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  )
}
