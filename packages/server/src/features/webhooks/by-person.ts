/** `person`: who added the account (see `personBehind`). */
type Task = { person: number; accountId: number; run: () => Promise<void> }
type Options = { atOnce: number; slowMs: number; signal: AbortSignal; onFailure: (accountId: number, cause: unknown) => void }

/**
 * Runs tasks of several people in parallel, but one at a time for each, however many accounts they have added. A failed task is reported, and
 * the others continue. After a slow one, the rest of its person is left for another time, because a person can have a thousand tasks at a host
 * that never answers.
 */
export async function runByPerson(tasks: readonly Task[], { atOnce, slowMs, signal, onFailure }: Options): Promise<void> {
  const queues = [...Map.groupBy(tasks, ({ person }) => person).values()]
  async function work(): Promise<void> {
    for (let queue = queues.shift(); queue !== undefined; queue = queues.shift())
      for (const { accountId, run } of queue) {
        signal.throwIfAborted()
        const began = performance.now()
        await run().catch((cause: unknown) => onFailure(accountId, cause))
        if (performance.now() - began >= slowMs) break
      }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
}
