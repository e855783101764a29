import type { AppRow } from '../../domain/rows.ts'
import type { Engine } from '../../engine/engine.ts'
import { projectNetworkName } from '../../engine/labels.ts'
import { poll } from '../../lib/retry.ts'

type Deps = {
  engine: { containers: Pick<Engine['containers'], 'inspect'> }
  instance: string
  /** The port of the live release; null if it has none. */
  portOf: (appId: number) => Promise<number | null>
  probe: (target: { ip: string; port: number }, path: string) => Promise<boolean>
}

const LOOK_MS = 200
const LONGEST_WAIT_MS = 20_000

/** Restarts the replicas of an app one after the other, each once the one before answers again: the others serve meanwhile. */
export function createRestartInTurn({ engine, instance, portOf, probe }: Deps) {
  return async function restartInTurn(app: AppRow, ids: readonly string[], restart: (id: string) => Promise<void>): Promise<void> {
    const port = ids.length < 2 ? null : await portOf(app.id)
    const answers = async (id: string): Promise<boolean> => {
      const details = await engine.containers.inspect(id)
      const ip = details?.ips[projectNetworkName(instance, app.project_id)]
      if (details?.state !== 'running' || port === null) return details?.state === 'running'
      return ip !== undefined && (await probe({ ip, port }, ''))
    }
    for (const id of ids) {
      await restart(id)
      if (id !== ids.at(-1)) await poll(() => answers(id), { until: Boolean, everyMs: LOOK_MS, limitMs: LONGEST_WAIT_MS })
    }
  }
}

export type RestartInTurn = ReturnType<typeof createRestartInTurn>
