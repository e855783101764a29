import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { ButtonLink } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { PageHeader } from '../../components/page.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { Skeleton } from '../../components/states.tsx'
import { paths } from '../../paths.ts'
import { AppList } from '../../shared/app-list.tsx'
import { useMetrics } from '../../shared/metrics-feed.ts'
import { apps } from '../apps/queries.ts'
import { projects } from '../projects/queries.ts'
import { AttentionCard } from './attention-card.tsx'
import { RunningCard } from './running-card.tsx'
import { ServerPlots } from './server-plots.tsx'
import { useConcerns } from './use-concerns.ts'

/** Loaded separately: only a new server shows it, and forms bring the schema checker along. */
const FirstSteps = lazy(async () => ({ default: (await import('./first-steps.tsx')).FirstSteps }))

const APPS_SHOWN = 12

export function OverviewPage() {
  const appsQuery = useQuery(apps)
  const projectsQuery = useQuery(projects)
  const metrics = useMetrics()
  const list = appsQuery.data ?? []
  const { concerns, settled } = useConcerns(list, metrics.samples.at(-1))
  const asking = [appsQuery, projectsQuery].some(({ isPending, failureCount }) => isPending && failureCount === 0) || !settled
  const isNew = appsQuery.data?.length === 0 && projectsQuery.data !== undefined
  const nameOf = (appId: number): string => list.find(({ id }) => id === appId)?.name ?? `App ${appId}`
  if (asking)
    return (
      <>
        <PageHeader title="Overview" />
        <Skeleton bare rows={8} height="h-16" />
      </>
    )
  return (
    <>
      <PageHeader title="Overview" />
      <div className="grid gap-4">
        {isNew && (
          <Suspense fallback={<Skeleton bare rows={1} height="h-48" />}>
            <FirstSteps projects={projectsQuery.data ?? []} />
          </Suspense>
        )}
        <div className="grid items-start gap-4 lg:grid-cols-2">
          <AttentionCard concerns={concerns} isWhole={appsQuery.data !== undefined} />
          <RunningCard nameOf={nameOf} />
        </div>
        <ServerPlots view={metrics} />
        {!isNew && (
          <Card title="Apps" flush actions={list.length > APPS_SHOWN && <ButtonLink to={paths.apps()}>All {list.length} apps</ButtonLink>}>
            <QueryView query={appsQuery}>
              {(all) => <AppList apps={all.slice(0, APPS_SHOWN)} projects={projectsQuery.data ?? []} />}
            </QueryView>
          </Card>
        )}
      </div>
    </>
  )
}
