import type { DeliverySummary } from '@berth/contract'
import { useInfiniteQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { LoadOlder } from '../../components/load-older.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { DELIVERY_LOOK } from '../../lib/git-words.ts'
import { DeliveredDeployment } from './delivered-deployment.tsx'
import { DeliveryDialog } from './delivery-dialog.tsx'
import { type DeliveriesOf, deliveries } from './queries.ts'
import { RedeliverButton } from './redeliver-button.tsx'

/** What a host has delivered for an app or an account, and why it did or did not deploy. */
export function DeliveriesCard({ of, empty }: { of: DeliveriesOf; empty: ReactNode }) {
  const query = useInfiniteQuery(deliveries(of))
  const [opened, setOpened] = useState<number>()
  return (
    <Card title="Deliveries" note="What the Git host sent in the last 30 days." flush>
      <QueryView query={{ ...query, data: query.data?.pages.flat() }} empty={empty}>
        {(list) => (
          <ul className="divide-y divide-line">
            {list.map((each) => (
              <Row key={each.id} delivery={each} onOpen={() => setOpened(each.id)} />
            ))}
          </ul>
        )}
      </QueryView>
      <LoadOlder query={query} />
      {opened !== undefined && <DeliveryDialog id={opened} onClose={() => setOpened(undefined)} />}
    </Card>
  )
}

function Row({ delivery, onOpen }: { delivery: DeliverySummary; onOpen: () => void }) {
  const { event, repository, branch, commit, result, reason, deployments, receivedAt } = delivery
  return (
    <li className="flex flex-wrap items-start gap-x-3 gap-y-2 px-4 py-3 text-sm">
      <div className="grid min-w-0 flex-1 basis-64 gap-1">
        <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
          <Badge look={DELIVERY_LOOK[result]} />
          <span className="font-medium">{event === '' ? 'Unknown event' : event}</span>
          <span className="text-[13px] text-ink-soft">
            <RelativeTime at={receivedAt} />
          </span>
        </div>
        {repository !== '' && (
          <p className="font-mono text-[13px] [overflow-wrap:anywhere] text-ink-soft">
            {repository}
            {branch !== '' && ` · ${branch}`}
            {commit !== '' && ` · ${commit.slice(0, 7)}`}
          </p>
        )}
        {reason !== '' && <p className="[overflow-wrap:anywhere]">{reason}</p>}
        {deployments.length > 0 && (
          <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
            {deployments.map((id) => (
              <DeliveredDeployment key={id} id={id} />
            ))}
          </p>
        )}
      </div>
      <div className="flex flex-wrap gap-2 max-sm:w-full">
        <Button onClick={onOpen}>Details</Button>
        <RedeliverButton delivery={delivery} />
      </div>
    </li>
  )
}
