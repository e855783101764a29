type Task = { accountId: number; run: () => Promise<void> }
type Options = { atOnce: number; signal: AbortSignal; onFailure: (accountId: number, cause: unknown) => void }

/** Several accounts side by side, and of each one task at a time. A task that fails is reported, and the others go on. */
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
