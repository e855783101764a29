import type { Finding } from '@berth/contract'
import { useQuery } from '@tanstack/react-query'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { Notice } from '../../components/notice.tsx'
import { FindingRow } from '../../shared/finding-row.tsx'
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
            <FindingRow key={`${finding.check} ${finding.message}`} finding={finding} />
          ))}
        </ul>
      )}
    </Card>
  )
}
