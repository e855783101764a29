import type { BuildPlan, Input, PlannedBuild } from '@berth/contract'
import { deploysImage, kindOf } from '../../domain/app-kinds.ts'
import type { Caller } from '../../domain/caller.ts'
import { processesOf } from '../../domain/processes.ts'
import { type BuildConfig, buildConfigOf, DEFAULT_BUILD } from '../../domain/release-config.ts'
import type { AppRow } from '../../domain/rows.ts'
import type { Source } from '../../git/git-visit.ts'
import { fieldError } from '../../lib/app-error.ts'
import type { BuildRequest } from '../deployments/release/container/decide-build.ts'
import type { CheckoutRequest, QuickCheckout } from './quick-checkout.ts'
import type { AppReading } from './reading.ts'

type Settings = Omit<BuildRequest, 'workspace'>
type Deps = {
  quickCheckout: QuickCheckout
  /** The decision that a deployment makes. */
  decideBuild: (request: BuildRequest) => Promise<{ readonly plan: BuildPlan }>
  /** The sentence for people, if this is a failure that a deployment would end with. */
  problemIn: (cause: unknown) => string | undefined
  sourceFor: AppReading['sourceFor']
  sourceOf: (app: AppRow) => Promise<Source>
  secretNamesOf: (appId: number) => Promise<readonly string[]>
}

/** What a deployment would build, without deploying. A project that cannot be built is a result, not an error. */
export function createPlanBuild({ quickCheckout, decideBuild, problemIn, sourceFor, sourceOf, secretNamesOf }: Deps) {
  async function planned(caller: Caller, request: CheckoutRequest, settings: Settings): Promise<PlannedBuild> {
    return await quickCheckout(caller, request, async (workspace) => {
      try {
        return { plan: (await decideBuild({ ...settings, workspace })).plan, problem: '' }
      } catch (cause) {
        const problem = problemIn(cause)
        if (problem === undefined) throw cause
        return { plan: null, problem }
      }
    })
  }

  async function ofApp(caller: Caller, app: AppRow): Promise<PlannedBuild> {
    if (kindOf(app).madeFrom !== 'dockerfile' || deploysImage(app))
      throw fieldError('invalid_request', 'appId', 'must be an app that is built from a repository')
    if (app.git_clone_url === '') throw fieldError('invalid_source', 'appId', 'must be an app with a repository')
    const { root_directory: rootDirectory, dockerfile_path: dockerfilePath, port } = app
    const request = { source: await sourceOf(app), branch: app.git_branch === '' ? null : app.git_branch }
    return await planned(caller, request, {
      rootDirectory,
      dockerfilePath,
      port,
      build: buildConfigOf(app),
      processes: processesOf(app),
      buildSecrets: await secretNamesOf(app.id),
    })
  }

  async function ofNew(caller: Caller, projectId: number, input: Input<'builds.planNew'>): Promise<PlannedBuild> {
    const { gitCloneUrl: cloneUrl, gitBranch: branch = '', rootDirectory = '', port = null } = input
    const dockerfilePath = input.dockerfilePath === '' ? null : (input.dockerfilePath ?? null)
    const source = await sourceFor(caller, { projectId, accountId: input.gitProviderId ?? undefined, cloneUrl, branch })
    const request = { source, branch: branch === '' ? null : branch }
    return await planned(caller, request, { rootDirectory, dockerfilePath, port, build: buildOf(input), processes: [], buildSecrets: [] })
  }

  return { ofApp, ofNew }
}

export type PlanBuild = ReturnType<typeof createPlanBuild>

function buildOf(input: Input<'builds.planNew'>): BuildConfig {
  const given = Object.entries(DEFAULT_BUILD).map(([name, value]) => [name, input[name as keyof typeof input] ?? value] as const) // its names are fields of the input
  return { ...DEFAULT_BUILD, ...Object.fromEntries(given) }
}
