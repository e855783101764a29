type Task = { accountId: number; run: () => Promise<void> }
type Options = { atOnce: number; slowMs: number; signal: AbortSignal; onFailure: (accountId: number, cause: unknown) => void }

/**
 * Runs tasks of several accounts in parallel, but one at a time per account. A failed task is reported, and the others continue. After a slow
 * one, the rest of its account is left for another time, because a person can have a thousand tasks at a host that never answers.
 */
export async function runByAccount(tasks: readonly Task[], { atOnce, slowMs, signal, onFailure }: Options): Promise<void> {
  const queues = [...Map.groupBy(tasks, ({ accountId }) => accountId).values()]
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
