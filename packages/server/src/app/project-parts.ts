import { createAppDeletion } from '../features/apps/deletion.ts'
import { createPlanBuild } from '../features/apps/plan-build.ts'
import { createQuickCheckout } from '../features/apps/quick-checkout.ts'
import { type AppReading, createAppReading } from '../features/apps/reading.ts'
import { createApplications } from '../features/apps/service.ts'
import { checkSource, createProbeSource } from '../features/apps/source-check.ts'
import { createSuggestions } from '../features/deployments/failure/apply-suggestions.ts'
import { findEndpoints } from '../features/deployments/release/compose/endpoint-store.ts'
import { createJudgeStack } from '../features/deployments/release/compose/judge-stack.ts'
import { decideBuild } from '../features/deployments/release/container/decide-build.ts'
import { DeploymentFailure } from '../features/deployments/run/stage.ts'
import { createProjects } from '../features/projects/service.ts'
import { createComposeFiles } from '../features/stacks/compose-file.ts'
import { createStackPlans } from '../features/stacks/plan.ts'
import { createPlanStack } from '../features/stacks/plan-stack.ts'
import { listFiles } from '../features/storage/store.ts'
import { findTemplate, newSecret } from '../features/templates/templates.ts'
import { createLimiter, type Limiter } from '../lib/limiter.ts'
import type { EngineParts } from './engine-parts.ts'
import type { Foundation } from './foundation.ts'
import type { GitParts } from './git-parts.ts'
import type { SourceAccessParts } from './source-access-parts.ts'
import type { TrafficParts } from './traffic-parts.ts'
import type { WorkParts } from './work-parts.ts'

/** Projects and their apps, as rows: what they are and who owns them. */
export function createProjectParts(
  { db, step, now, config, background, reservedPorts }: Foundation,
  { git }: EngineParts,
  {
    traffic,
    gitParts,
    sourceAccess,
    work,
  }: { traffic: TrafficParts; gitParts: GitParts; sourceAccess: SourceAccessParts; work: WorkParts },
) {
  // A request that runs git takes three processes of up to 128 MiB and 50 MB of disk for a few seconds, so the requests of one person
  // wait in a short queue.
  const limiter = createLimiter({ running: 4, runningPerKey: 2, waiting: 64, waitingPerKey: 4, waitMs: 20_000 })
  const edgePorts = config.edge
  const applications = createApplications({
    db,
    now,
    findTemplate,
    newSecret,
    checkSource,
    connectSource: gitParts.appSource.connect,
    refuseLostAccount: gitParts.appSource.refuseLostAccount,
    insertEnv: work.envVariables.insertMany,
    filesOf: listFiles,
    changeBuildSecrets: work.buildSecrets.change,
    addGeneratedDomain: traffic.generatedDomains.add,
    edgePorts,
    onChanged: () => {
      traffic.onRowsChanged()
      background.wake('git hooks')
    },
  })
  const probeSource = createProbeSource({ git, limiter })
  const appReading = createAppReading({
    db,
    findTemplate,
    resolveEnvironment: work.resolveEnvironment,
    edgePorts,
    probeSource,
    lookWith: gitParts.appSource.lookWith,
  })
  const appDeletion = createAppDeletion({ db, step, now, onRemoved: work.onAppsRemoved })
  const projects = createProjects({
    db,
    step,
    now,
    listApplications: appReading.list,
    removeApplications: appDeletion.removeOfProject,
    onRemoved: work.onAppsRemoved,
  })
  const suggestions = createSuggestions({
    db,
    changeApp: applications.update,
    deploy: work.deployments.deploy,
    makeRoom: work.deploying.makeRoom,
  })
  const planning = createPlanParts({ db, now, git, limiter, config, reservedPorts, appReading, sourceAccess, work })
  return { suggestions, applications, appReading, appDeletion, projects, ...planning }
}

export type ProjectParts = ReturnType<typeof createProjectParts>

type PlanDeps = Pick<Foundation, 'db' | 'now' | 'config' | 'reservedPorts'> & {
  git: EngineParts['git']
  limiter: Limiter
  appReading: AppReading
  sourceAccess: Pick<SourceAccessParts, 'sourceOf'>
  work: WorkParts
}

/** What a deployment would make of a repository or a compose file. */
function createPlanParts({ db, now, git, limiter, config, reservedPorts, appReading, sourceAccess, work }: PlanDeps) {
  const judge = createJudgeStack({ reservedPorts })
  const quickCheckout = createQuickCheckout({ git, limiter, workDir: config.workDir })
  const plans = createStackPlans({ judge, quickCheckout })
  const { sourceOf } = sourceAccess
  const { sourceFor } = appReading
  const planBuild = createPlanBuild({ quickCheckout, decideBuild, problemIn, sourceFor, sourceOf, secretNamesOf: work.buildSecrets.names })
  const { resolveEnvironment } = work
  const planStack = createPlanStack({
    db,
    plans,
    sourceFor,
    sourceOf,
    resolveEnvironment,
    endpointsOf: async (appId) => await findEndpoints(db, appId),
  })
  return { planBuild, planStack, composeFiles: createComposeFiles({ db, now, planOf: planStack.ofApp }) }
}

function problemIn(cause: unknown): string | undefined {
  return cause instanceof DeploymentFailure ? cause.message : undefined
}
