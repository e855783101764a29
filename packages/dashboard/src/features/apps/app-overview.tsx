import type { Application } from '@berth/contract'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Badge } from '../../components/badge.tsx'
import { Card } from '../../components/card.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { Icon } from '../../components/icon.tsx'
import { Notice } from '../../components/notice.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { Skeleton } from '../../components/states.tsx'
import { APP_LOOK } from '../../lib/status.ts'
import { paths } from '../../paths.ts'
import { CommitWords } from '../../shared/commit-words.tsx'
import { hasDomains, useApp } from '../../shared/use-app.ts'
import { deploymentsOfApp } from '../deployments/queries.ts'
import { ConnectionCard } from './connection-card.tsx'
import { LatestDeployment } from './latest-deployment.tsx'
import { container } from './queries.ts'
import { internalAddress } from './runtime-values.ts'
import { TrafficCard } from './traffic-card.tsx'
import { UsageCard } from './usage-card.tsx'

export function AppOverview() {
  const app = useApp()
  const { data: history, isPending } = useQuery(deploymentsOfApp(app.id))
  if (isPending) return <Skeleton bare rows={6} height="h-12" />
  const [last] = history ?? []
  const isSaidBelow = last?.status === 'failed' && last.error_message === app.status_reason
  return (
    <div className="grid gap-4">
      {app.status === 'error' && app.status_reason !== '' && !isSaidBelow && <Notice tone="bad">{app.status_reason}</Notice>}
      <LatestDeployment app={app} />
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <StateCard app={app} />
        <div className="grid gap-4">
          {app.app_type === 'database' && <ConnectionCard app={app} />}
          {hasDomains(app) && <TrafficCard appId={app.id} />}
        </div>
      </div>
      <UsageCard app={app} />
    </div>
  )
}

function StateCard({ app }: { app: Application }) {
  const { data: history } = useQuery(deploymentsOfApp(app.id))
  const { data: inside } = useQuery(container(app.id))
  const live = history?.find(({ is_active }) => is_active)
  return (
    <Card title="Status">
      <Facts>
        <Fact name="Status">
          <Badge look={APP_LOOK[app.status]} />
        </Fact>
        {app.status_reason !== '' && app.status !== 'error' && <Fact name="Reason">{app.status_reason}</Fact>}
        {hasDomains(app) && (
          <Fact name="Address">
            {app.url === '' ? (
              <Link to={paths.domains(app.id)} className="text-accent underline">
                Add a domain
              </Link>
            ) : (
              <a
                href={app.url}
                target="_blank"
                rel="noreferrer"
                className="inline-flex max-w-full items-center gap-1 text-accent hover:underline"
              >
                <span className="break-all">{app.url}</span>
                <Icon name="external" size={13} />
              </a>
            )}
          </Fact>
        )}
        <Fact name="Live release">
          {live ? (
            <>
              <Link to={paths.deployment(app.id, live.id)} className="text-accent underline">
                #{live.deployment_number}
              </Link>
              , <RelativeTime at={live.finished_at ?? live.created_at} />
            </>
          ) : (
            'None yet'
          )}
        </Fact>
        {live && live.commit_hash !== '' && (
          <Fact name="Commit">
            <CommitWords deployment={live} />
          </Fact>
        )}
        <Fact name="Container">
          {inside === undefined || inside.id === '' ? (
            (inside?.status ?? '…')
          ) : (
            <>
              {inside.status} <code className="font-mono text-[13px] text-ink-soft">{inside.id.slice(0, 12)}</code>
            </>
          )}
        </Fact>
        <Fact name="Internal address">
          <code className="font-mono text-[13px]">{internalAddress(app)}</code>
        </Fact>
      </Facts>
    </Card>
  )
}
