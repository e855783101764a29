import type { Application, Deployment, Domain, Health, ServerMetrics } from '@berth/contract'
import { HEALTH_LOOK, HEALTH_NOTICES, HEALTH_PARTS } from '../../lib/status.ts'
import { paths } from '../../paths.ts'

export type Concern = { id: string; tone: 'bad' | 'warn'; title: string; reason: string; to: string; next: string }

type Known = {
  apps: readonly Application[]
  lastDeployments: readonly Deployment[]
  domains: readonly Domain[]
  health: Health | undefined
  metrics: Pick<ServerMetrics, 'disk'> | undefined
  mayAdmin: boolean
}

const PARTS = ['database', 'engine', 'edge', 'queue'] as const
const DISK_WARN_PERCENT = 85
const DISK_BAD_PERCENT = 95

/** Problems that need attention, worst first, each with its reason and the next step. */
export function concernsOf(known: Known): Concern[] {
  const all = [...healthConcerns(known), ...noticeConcerns(known), ...diskConcerns(known), ...appConcerns(known), ...domainConcerns(known)]
  return all.sort((a, b) => Number(b.tone === 'bad') - Number(a.tone === 'bad'))
}

function noticeConcerns({ health, mayAdmin }: Known): Concern[] {
  return Object.entries(HEALTH_NOTICES).flatMap(([name, title]): Concern[] => {
    const reason = health?.messages[name]
    if (reason === undefined) return []
    return [{ id: `notice-${name}`, tone: 'warn', title, reason, to: mayAdmin ? paths.health() : paths.overview(), next: 'View health' }]
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
      tone: metrics.disk.percent >= DISK_BAD_PERCENT ? 'bad' : 'warn',
      title: `Disk is ${Math.round(metrics.disk.percent)}% full`,
      reason: 'Builds fail when the disk is full. Keep fewer releases or delete unused apps.',
      to: mayAdmin ? paths.settings() : paths.apps(),
      next: mayAdmin ? 'View settings' : 'View apps',
    },
  ]
}

function appConcerns({ apps, lastDeployments }: Known): Concern[] {
  return apps.flatMap((app): Concern[] => {
    if (app.status === 'error') {
      const reason = app.status_reason === '' ? 'No container is running.' : app.status_reason
      return [{ id: `app-${app.id}`, tone: 'bad', title: `${app.name} is down`, reason, to: paths.app(app.id), next: 'View app' }]
    }
    const last = lastDeployments.find(({ app_id }) => app_id === app.id)
    if (last?.status !== 'failed') return []
    return [
      {
        id: `deployment-${last.id}`,
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
      id: `domain-${domain.id}`,
      tone: 'warn',
      title: domain.sslStatus === 'failed' ? `No certificate for ${domain.domain}` : `DNS for ${domain.domain} points elsewhere`,
      reason: domain.sslStatus === 'failed' ? domain.sslError : domain.dnsError,
      to: paths.domains(domain.appId),
      next: 'View domains',
    }))
}
