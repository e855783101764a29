import { useEffect, useState, useSyncExternalStore } from 'react'

const TICK_MS = 5_000
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined
let now = new Date()

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(() => {
    now = new Date()
    for (const each of listeners) each()
  }, TICK_MS)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** One clock for all relative times on the page. */
export function useNow(): Date {
  return useSyncExternalStore(subscribe, () => (timer ? now : fresh()))
}

/** Before the clock runs the value must still be stable between two reads of one render. */
function fresh(): Date {
  if (Date.now() - now.getTime() > TICK_MS) now = new Date()
  return now
}

/** The time in milliseconds, every second: for what is being waited for. */
export function useSecond(): number {
  const [at, setAt] = useState(Date.now)
  useEffect(() => {
    const ticking = setInterval(() => setAt(Date.now()), 1000)
    return () => clearInterval(ticking)
  }, [])
  return at
}
