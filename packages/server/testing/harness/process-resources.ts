import { readdir, readFile } from 'node:fs/promises'

export type Resources = { files: number; children: number; memoryMb: number }

/** What a process holds: open files, children, and memory. */
export async function resourcesOf(pid: number): Promise<Resources> {
  const [files, children, status] = await Promise.all([
    readdir(`/proc/${pid}/fd`),
    readFile(`/proc/${pid}/task/${pid}/children`, 'utf8'),
    readFile(`/proc/${pid}/status`, 'utf8'),
  ])
  const kilobytes = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0)
  return { files: files.length, children: children.split(' ').filter((id) => id !== '').length, memoryMb: kilobytes / 1024 }
}

const TENTH = 1.1

/** What is more than a tenth above what it was (I12). */
export function heavier(before: Resources, now: Resources): string[] {
  const kinds = ['files', 'children', 'memoryMb'] as const
  return kinds.flatMap((kind) =>
    now[kind] > before[kind] * TENTH ? [`I12: ${kind} went from ${before[kind].toFixed(0)} to ${now[kind].toFixed(0)}`] : [],
  )
}
