/** Aborts when the other signal does, but so much later, and with its reason. */
export function abortedLater(signal: AbortSignal, ms: number): AbortSignal {
  const later = new AbortController()
  const wait = () => void setTimeout(() => later.abort(signal.reason), ms).unref()
  if (signal.aborted) wait()
  else signal.addEventListener('abort', wait, { once: true })
  return later.signal
}
