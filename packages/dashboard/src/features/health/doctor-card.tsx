import type { Finding } from '@berth/contract'
import { useQuery } from '@tanstack/react-query'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { Notice } from '../../components/notice.tsx'
import { FINDING_LOOK } from '../../lib/status.ts'
import { doctor } from './queries.ts'

const ORDER = ['problem', 'warning', 'ok'] as const satisfies readonly Finding['level'][]

/** What `berth-server doctor` checks, from here. */
export function DoctorCard() {
  const { data, error, isFetching, refetch } = useQuery(doctor)
  return (
    <Card
      title="Checks"
      note="Data, disk, clock, git, Docker, certificates, domains and apps."
      flush
      actions={
        <Button pending={isFetching} onClick={() => void refetch()}>
          Run checks
        </Button>
      }
    >
      {error && (
        <div className="p-4">
          <Notice tone="bad">{error.message}</Notice>
        </div>
      )}
      {data && (
        <ul className="divide-y divide-line">
          {ORDER.flatMap((level) => data.filter((finding) => finding.level === level)).map((finding) => (
            <Row key={`${finding.check} ${finding.message}`} finding={finding} />
          ))}
        </ul>
      )}
    </Card>
  )
}

function Row({ finding: { check, level, message, toDo } }: { finding: Finding }) {
  return (
    <li className="flex items-start justify-between gap-4 px-4 py-2.5 text-sm">
      <div className="min-w-0 [overflow-wrap:anywhere]">
        <p>
          <span className="font-medium">{check}</span>: {message}
        </p>
        {toDo !== '' && <p className="text-ink-soft">{toDo}</p>}
      </div>
      <Badge look={FINDING_LOOK[level]} />
    </li>
  )
}
