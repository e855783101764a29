import type { Config } from '../config.ts'
import { endParts } from '../lib/end-parts.ts'
import type { Logger } from '../lib/logger.ts'
import { createAccessParts } from './access-parts.ts'
import { backgroundTasks } from './background-tasks.ts'
import { createEngineParts } from './engine-parts.ts'
import { createFoundation } from './foundation.ts'
import { createGitParts } from './git-parts.ts'
import { createHttpParts } from './http-parts.ts'
import { createProjectParts } from './project-parts.ts'
import { createRegistryParts } from './registry-parts.ts'
import { createSourceAccessParts } from './source-access-parts.ts'
import { createTrafficParts } from './traffic-parts.ts'
import { createWorkParts } from './work-parts.ts'

/** The process itself ends ten seconds later, whatever happens (see main.ts). */
const PART_STOPS_WITHIN_MS = 15_000

/** Everything that exists, created top to bottom. `start` sets it going, `stop` ends it in reverse. */
export async function createApp(config: Config, givenLog: Logger) {
  let isStopping = false
  const base = await createFoundation(config, givenLog)
  const engineParts = createEngineParts(base)
  const traffic = await createTrafficParts(base, engineParts)
  const access = await createAccessParts(base)
  const gitParts = createGitParts(base, engineParts)
  const registries = createRegistryParts(base, engineParts)
  const sourceAccess = createSourceAccessParts(base, engineParts, { gitParts, registries })
  const work = createWorkParts(base, engineParts, { traffic, sourceAccess, registries })
  const projects = createProjectParts(base, engineParts, { traffic, gitParts, work })
  const parts = { base, engineParts, gitParts, registries, sourceAccess, access, traffic, work, projects, isStopping: () => isStopping }
  const { http, webSockets, health, metricsHistory, figures, backups } = await createHttpParts(parts)

  const { db, database, background, instance, tuning, now } = base
  const { engine, engineWatch, provisioning, firewalls } = engineParts
  const { routing, edge, edgeParts, domainCertificates, generatedDomains } = traffic
  const { makeRoom, forgetOld, renameImages } = work.deploying
  const watched = { db, engine, engineWatch, provisioning, routing, instance, tuning, now }
  const tasks = backgroundTasks({
    ...watched,
    reconcile: work.reconcile,
    wake: background.wake,
    wantCertificates: domainCertificates.wantAll,
    makeRoom,
    forgetOldDeployments: forgetOld,
    keepReserve: () => database.keepReserve(),
    metricsHistory,
    figures,
    backups,
    writeFailedTries: access.failedTries.writeCounted,
    reconcileHooks: gitParts.reconcileHooks,
    pollSources: sourceAccess.polls.lookAtDue,
    sendCommitStatuses: sourceAccess.commitStatuses.keepSending,
  })

  /** Listening does not wait for the engine or the edge; both are started in parallel. */
  async function start(): Promise<{ address: string; setupToken: string | undefined }> {
    const link = await access.setup.prepare(config.owner)
    await db.transaction(async (tx) => await generatedDomains.moveToBase(tx))
    const address = await http.listen({ host: config.host, port: config.port })
    await routing.drainStrays()
    await renameImages()
    await work.worker.start()
    for (const task of tasks) background.add(task)
    // repeatedly, because the engine or a reload of the machine's own firewall may remove the rules
    const { port } = new URL(address)
    background.add({ name: 'firewall', everyMs: 60_000, run: async (signal) => await firewalls.ensure(Number(port), signal) })
    routing.syncSoon()
    return { address, setupToken: link?.token }
  }

  async function stop(): Promise<void> {
    isStopping = true
    webSockets.closeAll()
    access.loginTurns.stop()
    const parts = { http: { end: async () => await http.close() }, jobs: work.worker.ending, tasks: background.ending }
    await endParts(parts, { withinMs: PART_STOPS_WITHIN_MS, log: base.log })
    await access.failedTries.stop()
    await figures.stop().catch((err: unknown) => base.log.warn({ err }, 'the latest app metrics were not saved'))
    await edgeParts.close()
    await database.close()
  }

  return { start, stop, health, provisioning: provisioning.state, edge: () => edge.state() }
}
