import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '../lib/logger.ts'

export type Task = { name: string; everyMs: number; run: (signal: AbortSignal) => Promise<void> }

/** The pause after a failure, even if it is woken in between. */
const REST_MS = 1000

/** Periodic tasks. Each runs one at a time; a failure is logged, and the next run tries again. */
export function createBackground(log: Logger) {
  const stopping = new AbortController()
  const loops: Promise<void>[] = []
  const wakes = new Map<string, () => void>()
  const running = new Set<string>()

  async function loop(task: Task): Promise<void> {
    while (!stopping.signal.aborted) {
      const woken = Promise.withResolvers<void>()
      wakes.set(task.name, woken.resolve) // before the run: a wake during it must cause another run
      try {
        running.add(task.name)
        await task.run(stopping.signal).finally(() => running.delete(task.name))
      } catch (err) {
        if (stopping.signal.aborted) return
        log.warn({ task: task.name, err }, 'Background task failed')
        await sleep(Math.min(REST_MS, task.everyMs), undefined, { signal: stopping.signal }).catch(() => undefined)
      }
      const timer = setTimeout(woken.resolve, task.everyMs)
      await woken.promise
      clearTimeout(timer)
    }
  }

  function add(task: Task): void {
    loops.push(loop(task))
  }

  function wake(name: string): void {
    wakes.get(name)?.()
  }

  async function stop(): Promise<void> {
    stopping.abort()
    for (const wakeUp of wakes.values()) wakeUp()
    await Promise.all(loops)
  }

  return { add, wake, stop, ending: { end: stop, busyWith: () => [...running] } }
}
