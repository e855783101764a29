import { setTimeout as sleep } from 'node:timers/promises'

/** Asks a process to end, and kills it if it has not after this time. Returns whether it ended by itself. */
export async function endProcess(pid: number, withinMs: number): Promise<boolean> {
  if (!isAlive(pid)) return true
  process.kill(pid, 'SIGTERM')
  const deadline = performance.now() + withinMs
  while (isAlive(pid) && performance.now() < deadline) await sleep(100)
  if (!isAlive(pid)) return true
  process.kill(pid, 'SIGKILL')
  while (isAlive(pid)) await sleep(100)
  return false
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
