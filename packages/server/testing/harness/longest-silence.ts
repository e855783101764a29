const LOOK_EVERY_MS = 10

/** How long this thread did nothing else at a time, in milliseconds, while `work` was under way. */
export async function longestSilence<Result>(work: () => Promise<Result>): Promise<{ result: Result; silentMs: number }> {
  let [last, silentMs] = [performance.now(), 0]
  const look = () => {
    silentMs = Math.max(silentMs, performance.now() - last - LOOK_EVERY_MS)
    last = performance.now()
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
