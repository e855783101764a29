import type { AppRow } from '../../domain/rows.ts'
import { poll } from '../../lib/retry.ts'
import type { Answers } from './answers.ts'

type Deps = {
  answers: Answers
  /** The port of the live release; null if it has none. */
  portOf: (appId: number) => Promise<number | null>
  /** Whether the app still wants it: it may be stopped or replaced meanwhile. */
  mayRestart: (appId: number) => Promise<boolean>
}

const LOOK_MS = 200
const LONGEST_WAIT_MS = 20_000

/** Restarts the replicas of an app one after the other, each once the one before answers again: the others serve meanwhile. */
export function createRestartInTurn({ answers, portOf, mayRestart }: Deps) {
  return async function restartInTurn(app: AppRow, ids: readonly string[], restart: (id: string) => Promise<void>): Promise<void> {
    const port = ids.length < 2 ? null : await portOf(app.id)
    const isOver = async (id: string) => (await answers(app, id, { port, path: '' })) || !(await mayRestart(app.id))
    for (const id of ids) {
      if (!(await mayRestart(app.id))) return
      await restart(id)
      if (id !== ids.at(-1)) await poll(() => isOver(id), { until: Boolean, everyMs: LOOK_MS, limitMs: LONGEST_WAIT_MS })
    }
  }
}

export type RestartInTurn = ReturnType<typeof createRestartInTurn>
