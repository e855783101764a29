import type { Logger } from './logger.ts'

type Part = {
  end: () => PromiseLike<unknown>
  /** What it is still busy with. */
  busyWith?: () => readonly string[]
}
type Options = { withinMs: number; log: Pick<Logger, 'warn'> }

/** Ends parts side by side. One that fails or takes too long is named in the log, and does not keep the others from ending. */
export async function endParts(parts: Readonly<Record<string, Part>>, { withinMs, log }: Options): Promise<void> {
  const ended = Object.entries(parts).map(async ([part, { end, busyWith }]) => {
    const late = Promise.withResolvers<'late'>()
    const timer = setTimeout(() => late.resolve('late'), withinMs)
    try {
      if ((await Promise.race([Promise.resolve(end()), late.promise])) === 'late')
        log.warn({ part, busyWith: busyWith?.() ?? [] }, 'a part of Berth did not stop in time')
    } catch (err) {
      log.warn({ part, err }, 'a part of Berth did not stop cleanly')
    } finally {
      clearTimeout(timer)
    }
  })
  await Promise.all(ended)
}
