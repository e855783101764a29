import type { Deployment, Domain, Health, ListedApplication, ServerMetrics } from '@berth/contract'
import { HEALTH_LOOK, HEALTH_NOTICES, HEALTH_PARTS } from '../../lib/status.ts'
import { paths } from '../../paths.ts'

type Kind = 'server' | 'app' | 'deployment' | 'domain'
/** The id names this one occurrence: what is dismissed comes back when it happens again. */
export type Concern = { id: string; kind: Kind; tone: 'bad' | 'warn'; title: string; reason: string; to: string; next: string }
export type ConcernGroup = { kind: Kind; title: string; concerns: readonly Concern[] }

type Known = {
  apps: readonly ListedApplication[]
  lastDeployments: readonly Deployment[]
  domains: readonly Domain[]
  health: Health | undefined
  metrics: Pick<ServerMetrics, 'disk'> | undefined
  mayAdmin: boolean
}

const PARTS = ['database', 'engine', 'edge', 'queue'] as const
const DISK_WARN_PERCENT = 85
const DISK_BAD_PERCENT = 95

const GROUPS = [
  { kind: 'server', title: () => 'Server' },
  { kind: 'app', title: (count) => (count === 1 ? '1 app is down' : `${count} apps are down`) },
  { kind: 'deployment', title: (count) => (count === 1 ? '1 failed deployment' : `${count} failed deployments`) },
  { kind: 'domain', title: (count) => (count === 1 ? '1 domain needs attention' : `${count} domains need attention`) },
] as const satisfies readonly { kind: Kind; title: (count: number) => string }[]

/** Concerns of one kind together, the kinds in the order of how much they matter. */
export function groupsOf(concerns: readonly Concern[]): ConcernGroup[] {
  return GROUPS.flatMap(({ kind, title }) => {
    const own = concerns.filter((each) => each.kind === kind)
    return own.length === 0 ? [] : [{ kind, title: title(own.length), concerns: own }]
  })
}

/** Problems that need attention, worst first, each with its reason and the next step. */
export function concernsOf(known: Known): Concern[] {
  const all = [...healthConcerns(known), ...noticeConcerns(known), ...diskConcerns(known), ...appConcerns(known), ...domainConcerns(known)]
  return all.sort((a, b) => Number(b.tone === 'bad') - Number(a.tone === 'bad'))
}

function noticeConcerns({ health, mayAdmin }: Known): Concern[] {
  return Object.entries(HEALTH_NOTICES).flatMap(([name, title]): Concern[] => {
    const reason = health?.messages[name]
    if (reason === undefined) return []
    return [
      {
        id: `notice-${name}`,
        kind: 'server',
        tone: 'warn',
        title,
        reason,
        to: mayAdmin ? paths.health() : paths.overview(),
        next: 'View health',
      },
    ]
  })
}

function healthConcerns({ health, mayAdmin }: Known): Concern[] {
  if (!health || health.status === 'ok') return []
  const { database, engine, edge, queue } = HEALTH_LOOK
  const { checks, messages } = health
  const looks = { database: database[checks.database], engine: engine[checks.engine], edge: edge[checks.edge], queue: queue[checks.queue] }
  return PARTS.map((part) => ({ part, ...looks[part] }))
    .filter(({ tone }) => tone === 'bad' || tone === 'warn')
    .map(({ part, label }) => ({
      id: `health-${part}`,
      kind: 'server',
      tone: 'bad',
      title: `${HEALTH_PARTS[part].title}: ${label.toLowerCase()}`,
      reason: messages[part] ?? 'Deployments may fail until it is back.',
      to: mayAdmin ? paths.health() : paths.overview(),
      next: 'View health',
    }))
}

function diskConcerns({ metrics, mayAdmin }: Known): Concern[] {
  if (!metrics || metrics.disk.percent < DISK_WARN_PERCENT) return []
  return [
    {
      id: 'disk',
      kind: 'server',
      tone: metrics.disk.percent >= DISK_BAD_PERCENT ? 'bad' : 'warn',
      title: `Disk is ${Math.round(metrics.disk.percent)}% full`,
      reason: 'Builds fail when the disk is full. Clean up, or delete apps that you do not need.',
      to: mayAdmin ? paths.health() : paths.apps(),
      next: mayAdmin ? 'Clean up' : 'View apps',
    },
  ]
}

function appConcerns({ apps, lastDeployments }: Known): Concern[] {
  return apps.flatMap((app): Concern[] => {
    if (app.status === 'error') {
      const reason = app.status_reason === '' ? 'No container is running.' : app.status_reason
      const id = `app-${app.id}-${app.updated_at}`
      return [{ id, kind: 'app', tone: 'bad', title: `${app.name} is down`, reason, to: paths.app(app.id), next: 'View app' }]
    }
    const last = lastDeployments.find(({ app_id }) => app_id === app.id)
    if (last?.status !== 'failed') return []
    return [
      {
        id: `deployment-${last.id}`,
        kind: 'deployment',
        tone: 'warn',
        title: `Last deployment of ${app.name} failed`,
        reason: last.error_message,
        to: paths.deployment(app.id, last.id),
        next: 'View log',
      },
    ]
  })
}

function domainConcerns({ domains }: Known): Concern[] {
  return domains
    .filter(({ sslStatus, dnsStatus }) => sslStatus === 'failed' || dnsStatus === 'wrong')
    .map((domain) => ({
      id: `domain-${domain.id}-${domain.sslStatus}-${domain.dnsStatus}`,
      kind: 'domain',
      tone: 'warn',
      title: domain.sslStatus === 'failed' ? `No certificate for ${domain.domain}` : `DNS for ${domain.domain} does not point here`,
      reason: domain.sslStatus === 'failed' ? domain.sslError : domain.dnsError,
      to: paths.domains(domain.appId),
      next: 'View domains',
    }))
}
