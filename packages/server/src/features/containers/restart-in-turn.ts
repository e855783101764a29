import type { AppRow } from '../../domain/rows.ts'
import type { ContainerSummary } from '../../engine/container-state.ts'
import { poll } from '../../lib/retry.ts'
import type { Answers } from './answers.ts'

type Deps = {
  answers: Answers
  /** The port of the live release; null if it has none. */
  portOf: (appId: number) => Promise<number | null>
  /** Whether the app still wants it: it may be stopped or replaced meanwhile. */
  mayRestart: (appId: number) => Promise<boolean>
}

type Restarted = Pick<ContainerSummary, 'id' | 'owner'>

const LOOK_MS = 200
const LONGEST_WAIT_MS = 20_000

/** Restarts the containers of an app one after the other, each once the one before answers again: the others serve meanwhile. */
export function createRestartInTurn({ answers, portOf, mayRestart }: Deps) {
  return async function restartInTurn(app: AppRow, all: readonly Restarted[], restart: (id: string) => Promise<void>): Promise<void> {
    const port = all.length < 2 ? null : await portOf(app.id)
    const isOver = async ({ id, owner }: Restarted) =>
      (await answers(app, id, { port: owner.service === null ? port : null, path: '' })) || !(await mayRestart(app.id))
    for (const each of all) {
      if (!(await mayRestart(app.id))) return
      await restart(each.id)
      if (each !== all.at(-1)) await poll(() => isOver(each), { until: Boolean, everyMs: LOOK_MS, limitMs: LONGEST_WAIT_MS })
    }
  }
}

export type RestartInTurn = ReturnType<typeof createRestartInTurn>
