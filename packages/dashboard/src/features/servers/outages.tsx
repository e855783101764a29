import type { ServerOutage } from '@berth/contract'
import { Badge } from '../../components/badge.tsx'
import { Card } from '../../components/card.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { plural } from '../../lib/sizes.ts'
import { durationWords } from '../../lib/time.ts'

const LOST = { label: 'Lost', tone: 'bad' } as const
const BACK = { label: 'Over', tone: 'good' } as const

/** When other servers were lost, and how many of their containers ran elsewhere. */
export function Outages({ outages }: { outages: readonly ServerOutage[] }) {
  if (outages.length === 0) return null
  return (
    <Card title="Outages">
      <ul className="divide-y divide-line rounded-md border border-line">
        {outages.map((outage) => (
          <li key={outage.id} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2 text-[13px]">
            <Badge look={outage.endedAt === null ? LOST : BACK} />
            <span className="font-medium">{outage.serverName}</span>
            <span className="text-ink-soft">
              <RelativeTime at={outage.lostAt} />
              {outage.endedAt !== null && `, for ${durationWords((Date.parse(outage.endedAt) - Date.parse(outage.lostAt)) / 1000)}`}
            </span>
            {outage.containers > 0 && <span className="text-ink-soft">{movedWords(outage)}</span>}
          </li>
        ))}
      </ul>
    </Card>
  )
}

function movedWords({ containers, moved, endedAt }: ServerOutage): string {
  const words = `${moved} of ${plural(containers, 'container')} moved to other servers`
  return endedAt === null && moved < containers ? `${words} so far` : words
}
