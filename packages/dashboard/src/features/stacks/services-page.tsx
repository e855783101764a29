import type { StackService } from '@berth/contract'
import { useQuery } from '@tanstack/react-query'
import { Card } from '../../components/card.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { EmptyState } from '../../components/states.tsx'
import { useApp } from '../../shared/use-app.ts'
import { storage } from '../apps/queries.ts'
import { PlanCard } from './plan-card.tsx'
import { services } from './queries.ts'
import { RunningFileCard } from './running-file-card.tsx'
import { ServiceRow } from './service-row.tsx'

/** The services of a compose app, each with how it is doing and what can be done with it. */
export function ServicesPage() {
  const app = useApp()
  const { data: stored } = useQuery(storage(app.id))
  const sizes = new Map(stored?.volumes.map(({ name, bytes }) => [name, bytes]))
  return (
    <div className="grid gap-4">
      <Card title="Services" note="The services of the live release, in start order." flush>
        <QueryView query={useQuery(services(app.id))}>
          {({ services: found }) =>
            found.length === 0 ? (
              <EmptyState icon="template" title="No services yet">
                They appear after the first deployment.
              </EmptyState>
            ) : (
              <ul className="divide-y divide-line">
                {found.map((service: StackService) => (
                  <ServiceRow key={service.name} app={app} service={service} sizes={sizes} />
                ))}
              </ul>
            )
          }
        </QueryView>
      </Card>
      <RunningFileCard app={app} />
      <PlanCard app={app} />
    </div>
  )
}
