import type { AppRow } from '../../domain/rows.ts'
import type { Engine } from '../../engine/engine.ts'
import { projectNetworkName } from '../../engine/labels.ts'

type Deps = {
  engine: { containers: Pick<Engine['containers'], 'inspect'> }
  instance: string
  probe: (target: { ip: string; port: number }, path: string) => Promise<boolean>
}
/** Where a container should answer: no port if it only has to run, no path if listening is enough. */
type Where = { port: number | null; path: string }

/** Whether a container of an app runs and, where it has a port, answers on it. */
export function createAnswers({ engine, instance, probe }: Deps) {
  return async function answers({ project_id }: Pick<AppRow, 'project_id'>, id: string, { port, path }: Where): Promise<boolean> {
    const details = await engine.containers.inspect(id)
    if (details?.state !== 'running' || port === null) return details?.state === 'running'
    const ip = details.ips[projectNetworkName(instance, project_id)]
    return ip !== undefined && ip !== '' && (await probe({ ip, port }, path))
  }
}

export type Answers = ReturnType<typeof createAnswers>
