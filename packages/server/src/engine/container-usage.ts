import { count, field } from './api/json.ts'

/** `cpu` in cores (0.5 = half of one), `memoryBytes` without the page cache that the kernel would give back. */
export type ContainerUsage = { readonly cpu: number; readonly memoryBytes: number; readonly memoryLimitBytes: number }

/** What has been used since the start; two of them make a rate. */
export type ContainerCounters = { readonly cpuNanoseconds: number; readonly memoryBytes: number }

export function countersOf(stats: unknown): ContainerCounters {
  return { cpuNanoseconds: count(field(stats, 'cpu_stats', 'cpu_usage', 'total_usage')), memoryBytes: usageOf(stats).memoryBytes }
}

export function usageOf(stats: unknown): ContainerUsage {
  const used =
    count(field(stats, 'cpu_stats', 'cpu_usage', 'total_usage')) - count(field(stats, 'precpu_stats', 'cpu_usage', 'total_usage'))
  const system = count(field(stats, 'cpu_stats', 'system_cpu_usage')) - count(field(stats, 'precpu_stats', 'system_cpu_usage'))
  const cores = count(field(stats, 'cpu_stats', 'online_cpus')) || 1
  const memory = field(stats, 'memory_stats')
  // cgroup v1 calls it total_inactive_file, v2 inactive_file.
  const cache = count(field(memory, 'stats', 'total_inactive_file')) || count(field(memory, 'stats', 'inactive_file'))
  return {
    cpu: system > 0 && used > 0 ? (used / system) * cores : 0,
    memoryBytes: Math.max(0, count(field(memory, 'usage')) - cache),
    memoryLimitBytes: count(field(memory, 'limit')),
  }
}
