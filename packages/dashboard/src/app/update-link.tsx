import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Icon } from '../components/icon.tsx'
import { updateCheck, updateStatus } from '../features/health/queries.ts'
import { useLater } from '../lib/use-later.ts'
import { paths } from '../paths.ts'

/** For owners, on every page: there is a newer version of Berth, and it is not being installed. */
export function UpdateLink() {
  const isLater = useLater()
  const { data: found } = useQuery({ ...updateCheck, enabled: isLater })
  const { data: update } = useQuery({ ...updateStatus, enabled: isLater && found?.available === true })
  if (!found?.available || update?.state === 'in_progress') return null
  return (
    <Link
      to={paths.health()}
      hash="updates"
      className="flex min-h-9 items-center gap-2.5 rounded-md bg-accent-soft px-2.5 py-1.5 text-sm text-accent hover:underline"
    >
      <Icon name="download" />
      <span className="min-w-0">
        <span className="block font-medium">Update available</span>
        <span className="block truncate text-xs">Berth {found.latest}</span>
      </span>
    </Link>
  )
}
