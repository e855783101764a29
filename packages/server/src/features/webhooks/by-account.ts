type Task = { accountId: number; run: () => Promise<void> }
type Options = { atOnce: number; signal: AbortSignal; onFailure: (accountId: number, cause: unknown) => void }

/** Runs tasks of several accounts in parallel, but one at a time per account. A failed task is reported, and the others continue. */
export async function runByAccount(tasks: readonly Task[], { atOnce, signal, onFailure }: Options): Promise<void> {
  const queues = [...Map.groupBy(tasks, ({ accountId }) => accountId).values()]
  async function work(): Promise<void> {
    for (let queue = queues.shift(); queue !== undefined; queue = queues.shift())
      for (const { accountId, run } of queue) {
        signal.throwIfAborted()
        await run().catch((cause: unknown) => onFailure(accountId, cause))
      }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
}
