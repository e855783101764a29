import type { Application } from '@berth/contract'
import { useQuery } from '@tanstack/react-query'
import { Notice } from '../../components/notice.tsx'
import { Skeleton } from '../../components/states.tsx'
import { FiguresCard } from '../../shared/figures-card.tsx'
import { hasDomains, useApp } from '../../shared/use-app.ts'
import { liveDeployment, recentDeployments } from '../deployments/queries.ts'
import { domainsOf } from '../domains/queries.ts'
import { environmentOf } from '../environment/queries.ts'
import { AtAGlance } from './at-a-glance.tsx'
import { ConnectionCard } from './connection-card.tsx'
import { LatestDeployment } from './latest-deployment.tsx'
import { LiveCard } from './live-card.tsx'
import { RecentDeployments } from './recent-deployments.tsx'
import { TrafficCard } from './traffic-card.tsx'

/** What stands above other cards is waited for, so that they do not move when it arrives. */
function useAsksGlance(app: Application): boolean {
  const environment = useQuery(environmentOf(app.id))
  const domains = useQuery({ ...domainsOf(app.id), enabled: hasDomains(app) })
  return environment.isPending || (hasDomains(app) && domains.isPending)
}

/** The app on one page: where it is, what is live, what happened last, and how it is set up. */
export function AppOverview() {
  const app = useApp()
  const { data: recent, isPending } = useQuery(recentDeployments(app.id))
  const { isPending: asksLive } = useQuery(liveDeployment(app.id))
  const asks = useAsksGlance(app)
  if (isPending || asksLive || asks) return <Skeleton bare rows={6} height="h-12" />
  const [last] = recent ?? []
  const isSaidBelow = last?.status === 'failed' && last.error_message === app.status_reason
  return (
    <div className="grid gap-4">
      {app.status_reason !== '' && !isSaidBelow && <Notice tone={app.status === 'error' ? 'bad' : 'warn'}>{app.status_reason}</Notice>}
      <LatestDeployment app={app} />
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <div className="grid min-w-0 gap-4">
          <LiveCard app={app} />
          {app.app_type === 'database' && <ConnectionCard app={app} />}
          <RecentDeployments appId={app.id} />
        </div>
        <div className="grid min-w-0 gap-4">
          <AtAGlance app={app} />
          {app.is_deployed && hasDomains(app) && <TrafficCard appId={app.id} />}
        </div>
      </div>
      {app.is_deployed && <FiguresCard app={app} />}
    </div>
  )
}
