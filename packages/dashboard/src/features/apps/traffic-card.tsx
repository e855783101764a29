import { sizeWords } from '@berth/contract'
import { useQuery } from '@tanstack/react-query'
import { Card } from '../../components/card.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { countWords, plural } from '../../lib/sizes.ts'
import { traffic } from './queries.ts'

export function TrafficCard({ appId }: { appId: number }) {
  return (
    <Card title="Requests">
      <QueryView query={useQuery(traffic(appId))}>
        {({ requests, byStatus, bytes, p50Ms, p99Ms, since }) => (
          <Facts>
            <Fact name="Total">
              {plural(requests, 'request')}
              {since !== '' && (
                <span className="text-ink-soft">
                  , since <RelativeTime at={since} />
                </span>
              )}
            </Fact>
            <Fact name="By status">
              {requests === 0
                ? 'None yet'
                : Object.entries(byStatus)
                    .filter(([, count]) => count > 0)
                    .map(([status, count]) => (
                      <span key={status} className="mr-3 whitespace-nowrap">
                        <span className={status.startsWith('5') ? 'text-bad' : 'text-ink-soft'}>{status}</span> {countWords(count)}
                      </span>
                    ))}
            </Fact>
            <Fact name="Latency">{p99Ms === 0 ? '–' : `p50 ${Math.round(p50Ms)} ms · p99 ${Math.round(p99Ms)} ms`}</Fact>
            <Fact name="Sent">{sizeWords(bytes)}</Fact>
          </Facts>
        )}
      </QueryView>
    </Card>
  )
}
