/** Ends a process and everything it started. It must have been started `detached`, which makes it the head of a group. */
export function endProcessGroup(pid: number | undefined, signal: 'SIGKILL' | 'SIGTERM'): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch {
    // The group is gone, which is what was wanted.
  }
}
