import type { Deployment } from '@berth/contract'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { RelativeTime } from '../../components/relative-time.tsx'
import { TRIGGER_WORDS } from '../../lib/status.ts'
import { durationWords } from '../../lib/time.ts'
import { paths } from '../../paths.ts'
import { useApp } from '../../shared/use-app.ts'
import { project } from '../projects/queries.ts'
import { deployment as deploymentQuery } from './queries.ts'

/** How, by whom and when a deployment was started, how long it took, and which one it replaces. */
export function OriginWords({ deployment }: { deployment: Deployment }) {
  const { app_id, created_at, trigger, triggered_by, finished_at, duration, rolled_back_from } = deployment
  const { data: home, isPending: asksProject } = useQuery(project(useApp().project_id))
  const { data: left } = useQuery({ ...deploymentQuery(rolled_back_from ?? 0), enabled: rolled_back_from !== undefined })
  const person = home?.members.find(({ id }) => id === triggered_by)
  // Without this answer the sentence would grow while it is being read.
  if (asksProject) return <br />
  return (
    <>
      {TRIGGER_WORDS[trigger].done}
      {person && ` by ${person.email}`} <RelativeTime at={created_at} />
      {finished_at !== null && (
        <>
          , <span className="whitespace-nowrap">took {durationWords(duration)}</span>
        </>
      )}
      .
      {left && (
        <>
          {' '}
          Replaces{' '}
          <Link to={paths.deployment(app_id, left.id)} className="text-accent underline">
            #{left.deployment_number}
          </Link>
          .
        </>
      )}
    </>
  )
}
