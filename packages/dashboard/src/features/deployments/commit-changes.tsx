import type { Deployment } from '@berth/contract'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Icon } from '../../components/icon.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { paths } from '../../paths.ts'
import { CommitWords } from '../../shared/commit-words.tsx'
import { commitsBetween, compareUrlOf } from './commits-between.ts'
import { deploymentsUpTo } from './queries.ts'

/** The commits that were deployed between two deployments, and everything that changed at the host. */
export function CommitChanges({ before, after }: { before: Deployment; after: Deployment }) {
  const query = useQuery(deploymentsUpTo(before.app_id, Math.max(before.id, after.id)))
  const url = compareUrlOf(before, after)
  return (
    <section className="min-w-0 text-sm">
      <div className="mb-2 flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <h3 className="font-semibold">Commits deployed</h3>
        {url !== undefined && (
          <a href={url} target="_blank" rel="noreferrer" className="inline-flex items-center gap-1 text-accent underline">
            View all changes at the Git host
            <Icon name="external" size={13} />
          </a>
        )}
      </div>
      <QueryView query={query}>{(list) => <Commits list={commitsBetween(list, [before, after])} />}</QueryView>
    </section>
  )
}

function Commits({ list }: { list: readonly Deployment[] }) {
  if (list.length === 0) return <p className="text-ink-soft">The same commit</p>
  return (
    <ul className="grid gap-1.5">
      {list.map((each) => (
        <li key={each.id} className="flex min-w-0 gap-2 [overflow-wrap:anywhere]">
          <Link to={paths.deployment(each.app_id, each.id)} className="shrink-0 text-accent underline">
            #{each.deployment_number}
          </Link>
          <CommitWords deployment={each} />
        </li>
      ))}
    </ul>
  )
}
