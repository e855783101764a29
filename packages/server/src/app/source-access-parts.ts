import { imageUserOf } from '../domain/image-user.ts'
import { findApp, findProject } from '../domain/rows.ts'
import { createCommitStatuses } from '../features/commit-status/service.ts'
import { createDeployByHook } from '../features/deploy-hook/deploy.ts'
import { createHookGate } from '../features/deploy-hook/gate.ts'
import { createDeployHooks } from '../features/deploy-hook/service.ts'
import { createDeployKeys } from '../features/deploy-keys/service.ts'
import { createSshAccess } from '../features/deploy-keys/ssh-access.ts'
import { createAddAutomatic } from '../features/deployments/request/automatic.ts'
import { createNewestCommit, createSourceOf } from '../features/git-providers/source-of.ts'
import { wasDeployed } from '../features/git-providers/store.ts'
import { createPolls } from '../features/polls/service.ts'
import { createLimiter } from '../lib/limiter.ts'
import type { EngineParts } from './engine-parts.ts'
import type { Foundation } from './foundation.ts'
import { type GitParts, publicUrl } from './git-parts.ts'
import { createHookRate } from './hook-rate.ts'
import type { RegistryParts } from './registry-parts.ts'

const BRANCH_LOOKUP_MS = 10_000

/** How git accesses the sources of apps, deployments by hooks and polls, and status reports to git hosts. */
export function createSourceAccessParts(
  base: Foundation,
  { git }: EngineParts,
  { gitParts, registries }: { gitParts: GitParts; registries: RegistryParts },
) {
  const { config, db, secrets, tuning, log, now } = base
  const sourceOf = createSourceOf({ db, access: gitParts.access, sshAccessOf: createSshAccess({ db, secrets }) })
  const addAutomatic = createAddAutomatic({ now })
  const ownerOf = async (projectId: number) => (await findProject(db, projectId))?.owner_id
  const newestCommit = createNewestCommit({ git, sourceOf, ownerOf, waitMs: tuning.resolveAtAddMs })
  return {
    sourceOf,
    checkCommit: gitParts.checkCommit,
    newestCommit,
    deployKeys: createDeployKeys({ db, secrets, now }),
    deployHooks: createDeployHooks({ db, publicUrl: async () => await publicUrl(base), now }),
    deployByHook: createDeployByHook({
      db,
      addAutomatic,
      newestCommit,
      newestCommitOfBranch: createNewestCommit({ git, sourceOf, ownerOf, waitMs: BRANCH_LOOKUP_MS }),
      wasDeployed: async (appId, hash) => await wasDeployed(db, { appId, hash }),
      isWithinRate: createHookRate(now),
    }),
    commitStatuses: createCommitStatuses({
      db,
      access: gitParts.access,
      sourceOf,
      publicUrl: async () => await publicUrl(base),
      edgePorts: config.edge,
      everyMs: tuning.commitStatusMs,
      retryMs: tuning.commitStatusRetryMs,
      log,
      now,
    }),
    polls: createPolls({
      db,
      git,
      sourceOf,
      digestOf: async (app, signal) => (await registries.visits.resolve(app.image, imageUserOf(app), signal)).digest,
      addAutomatic,
      limiter: pollTurns(),
      everyMs: tuning.sourcePollMs,
      random: Math.random,
      log,
      now,
    }),
    hookedApp: createHookGate({ findApp: async (id) => await findApp(db, id) }),
  }
}

export type SourceAccessParts = ReturnType<typeof createSourceAccessParts>

/** Only a few at once, and one per person: they run git like source checks, but nobody is waiting for them. */
function pollTurns() {
  return createLimiter({ running: 4, runningPerKey: 1, waiting: 10_000, waitingPerKey: 100, waitMs: 10 * 60_000 })
}
