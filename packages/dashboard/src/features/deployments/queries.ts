import { ApiError, type Deployment, type DeploymentStatus } from '@berth/contract'
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call } from '../../lib/api.ts'
import { isRunning } from '../../lib/status.ts'

type DeploymentFilter = { status: DeploymentStatus | ''; search: string }

export const deploymentKeys = {
  all: ['deployments'],
  running: ['deployments', 'running'],
  ofApp: (appId: number) => ['deployments', 'app', appId],
  recent: (appId: number) => ['deployments', 'app', appId, 'recent'],
  live: (appId: number) => ['deployments', 'app', appId, 'live'],
  pages: (appId: number, filter: DeploymentFilter) => ['deployments', 'app', appId, 'pages', filter],
  upTo: (appId: number, id: number) => ['deployments', 'app', appId, 'up to', id],
  one: (id: number) => ['deployments', 'one', id],
  plan: (id: number, stage: string) => ['deployments', 'one', id, 'plan', stage],
  comparison: (from: number, to: number) => ['deployments', 'comparison', from, to],
} as const

const RECENT = 20
const PAGE = 25
const COMPARED = 200
const PLAN_MS = 2000

export const runningDeployments = queryOptions({ queryKey: deploymentKeys.running, queryFn: () => call('deployments.running') })

/** The newest ones, whatever the number of deployments an app has. */
export function recentDeployments(appId: number) {
  return queryOptions({ queryKey: deploymentKeys.recent(appId), queryFn: () => call('deployments.listByApp', { appId, limit: RECENT }) })
}

/** The release that serves, or null. */
export function liveDeployment(appId: number) {
  return queryOptions({
    queryKey: deploymentKeys.live(appId),
    queryFn: async () => (await call('deployments.listByApp', { appId, isActive: true, limit: 1 }))[0] ?? null,
  })
}

export function deploymentPages(appId: number, filter: DeploymentFilter) {
  const { status, search } = filter
  return infiniteQueryOptions({
    queryKey: deploymentKeys.pages(appId, filter),
    queryFn: ({ pageParam }) =>
      call('deployments.listByApp', {
        appId,
        limit: PAGE,
        ...(pageParam === undefined ? {} : { before: pageParam }),
        ...(status === '' ? {} : { status }),
        ...(search === '' ? {} : { search }),
      }),
    initialPageParam: undefined as number | undefined, // the first page has no cursor
    getNextPageParam: (page) => (page.length < PAGE ? undefined : page.at(-1)?.id),
  })
}

/** One deployment and those before it, as far as they are compared. */
export function deploymentsUpTo(appId: number, id: number) {
  return queryOptions({
    queryKey: deploymentKeys.upTo(appId, id),
    queryFn: () => call('deployments.listByApp', { appId, limit: COMPARED, before: id + 1 }),
  })
}

export function deployment(id: number) {
  return queryOptions({ queryKey: deploymentKeys.one(id), queryFn: () => call('deployments.get', { id }) })
}

export function comparison(from: number, to: number) {
  return queryOptions({
    queryKey: deploymentKeys.comparison(from, to),
    queryFn: () => call('deployments.compare', { deploymentId: from, withId: to }),
  })
}

/** What was built and why; null while nothing is decided. Asked again at each stage. */
export function buildPlan({ id, stage, status }: Pick<Deployment, 'id' | 'stage' | 'status'>) {
  return queryOptions({
    queryKey: deploymentKeys.plan(id, stage),
    queryFn: async () =>
      await call('deployments.plan', { id }).catch((cause: unknown) => {
        if (cause instanceof ApiError && cause.status === 404) return null
        throw cause
      }),
    staleTime: 5000,
    refetchInterval: ({ state }) => (state.data === null && isRunning(status) ? PLAN_MS : false),
    placeholderData: keepPreviousData,
  })
}
