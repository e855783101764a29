const LOOK_EVERY_MS = 10

/**
 * How long this thread was busy at a time, in milliseconds, while `work` was under way. Only its own processor time counts: other programs
 * on the machine may keep it waiting too.
 */
export async function longestSilence<Result>(work: () => Promise<Result>): Promise<{ result: Result; silentMs: number }> {
  const usedMs = () => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1000
  }
  let [last, silentMs] = [usedMs(), 0]
  const look = () => {
    const now = usedMs()
    silentMs = Math.max(silentMs, now - last)
    last = now
  }
  const timer = setInterval(look, LOOK_EVERY_MS)
  try {
    const result = await work()
    look()
    return { result, silentMs }
  } finally {
    clearInterval(timer)
  }
}
