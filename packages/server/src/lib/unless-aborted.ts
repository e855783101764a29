/** The result, or the reason of the signal if that comes first. What it waits for goes on: others may wait for it too. */
export async function unlessAborted<Result>(result: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (signal === undefined) return await result
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal.reason)
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([aborted.promise, result])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
