import { join } from 'node:path'
import type { Config } from '../config.ts'
import { createBuildLogs } from '../features/deployments/log/build-log.ts'
import { createKeptOutput } from '../features/deployments/log/kept-output.ts'
import { createSharedLogs } from '../features/deployments/log/shared-logs.ts'
import { createSharedFiles } from '../features/deployments/shared-files.ts'
import type { Logger } from '../lib/logger.ts'
import type { SecretBox } from '../lib/secret-box.ts'
import type { Db, Tx } from '../store/database.ts'
import { livingNodes, type NodeIdentity } from '../store/presence.ts'

type Deps = { config: Config; db: Db; secrets: SecretBox; node: NodeIdentity | undefined; log: Logger }

/** What deployments print, in files; in the database as well if there are several nodes. */
export function createLogParts({ config, db, secrets, node, log }: Deps) {
  const directory = join(config.dataDir, 'logs')
  const isLiving = async (tx: Tx, name: string) => (await livingNodes(tx)).some((each) => each.name === name)
  const shared = node && { logs: createSharedLogs({ db, node: node.name, isLiving, log }), files: createSharedFiles({ db, secrets }) }
  return {
    logs: createBuildLogs({ directory, log, shared: shared?.logs }),
    keptOutput: createKeptOutput({ directory, log, shared: shared?.files }),
  }
}
