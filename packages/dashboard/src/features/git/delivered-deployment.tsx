import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Badge } from '../../components/badge.tsx'
import { DEPLOYMENT_LOOK } from '../../lib/status.ts'
import { paths } from '../../paths.ts'
import { apps } from '../apps/queries.ts'
import { deployment } from '../deployments/queries.ts'

/** A deployment that came of a delivery. Old ones are deleted. */
export function DeliveredDeployment({ id }: { id: number }) {
  const { data, isPending } = useQuery({ ...deployment(id), retry: false })
  const { data: list } = useQuery(apps)
  if (isPending) return <span className="text-ink-soft">Deployment…</span>
  if (!data) return <span className="text-ink-soft">Its deployment was deleted</span>
  const name = list?.find((app) => app.id === data.app_id)?.name
  return (
    <span className="inline-flex min-w-0 flex-wrap items-center gap-2">
      <Link to={paths.deployment(data.app_id, id)} className="[overflow-wrap:anywhere] text-accent underline">
        {name === undefined ? '' : `${name} `}#{data.deployment_number}
      </Link>
      <Badge look={DEPLOYMENT_LOOK[data.status]} />
    </span>
  )
}
