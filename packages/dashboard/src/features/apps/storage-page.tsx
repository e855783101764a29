import type { AppFile, Application } from '@berth/contract'
import { useQuery } from '@tanstack/react-query'
import { plural } from '../../lib/sizes.ts'
import { DeployNotice } from '../../shared/deploy-notice.tsx'
import { useApp } from '../../shared/use-app.ts'
import { liveDeployment } from '../deployments/queries.ts'
import { FilesCard } from './files-card.tsx'
import { files } from './queries.ts'
import { VolumesCard } from './volumes-card.tsx'

/** What an app keeps over its releases, and the files that each release is given. */
export function StoragePage() {
  const app = useApp()
  return (
    <div className="grid gap-4">
      <ChangedNotice app={app} />
      <VolumesCard app={app} />
      <FilesCard app={app} />
    </div>
  )
}

const MOST_NAMED = 3

/** Files that were saved after the live release began. */
function changedSince(saved: readonly AppFile[], startedAt: string | null | undefined): AppFile[] {
  return startedAt ? saved.filter(({ updatedAt }) => updatedAt > startedAt) : []
}

function ChangedNotice({ app }: { app: Application }) {
  const { data: live } = useQuery(liveDeployment(app.id))
  const { data: saved = [] } = useQuery(files(app.id))
  const changed = changedSince(saved, live?.started_at)
  if (changed.length === 0) return null
  const named = changed.slice(0, MOST_NAMED).map(({ path }) => path)
  const more = changed.length - named.length
  return (
    <DeployNotice appId={app.id}>
      Changed since the live release: {named.join(', ')}
      {more > 0 && ` and ${plural(more, 'other file')}`}. Deploy to apply it.
    </DeployNotice>
  )
}
