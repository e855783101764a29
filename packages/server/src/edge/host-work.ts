/** Looks regularly which of the wanted hosts are due, and works on a few of them at a time, never twice on the same. */
export function createHostWork(deps: {
  isDue: (host: string) => boolean
  run: (host: string) => Promise<void>
  onFailure: (host: string, cause: unknown) => void
  everyMs: number
  atOnce: number
}) {
  const { isDue, run, onFailure, everyMs, atOnce } = deps
  const working = new Map<string, Promise<void>>()
  let wanted = new Set<string>()
  let isClosed = false
  let timer: NodeJS.Timeout | undefined

  function look(): void {
    clearTimeout(timer)
    if (isClosed) return
    for (const host of wanted) {
      if (working.size >= atOnce) break
      begin(host)
    }
    timer = setTimeout(look, everyMs)
    timer.unref()
  }

  function begin(host: string): void {
    if (isClosed || working.has(host) || !wanted.has(host) || !isDue(host)) return
    const done = Promise.resolve(host)
      .then(run)
      .catch((cause: unknown) => onFailure(host, cause))
      .finally(() => {
        working.delete(host)
        look()
      })
    working.set(host, done)
  }

  function want(hosts: readonly string[]): void {
    wanted = new Set(hosts)
    look()
  }

  async function close(): Promise<void> {
    isClosed = true
    clearTimeout(timer)
    await Promise.allSettled(working.values())
  }

  const isWanted = (host: string) => wanted.has(host)
  const isWorking = (host: string) => working.has(host)
  const finished = async (host: string): Promise<void> => working.get(host)
  return { look, begin, want, isWanted, isWorking, finished, close }
}
