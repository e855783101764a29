import type { Application } from '@berth/contract'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ButtonLink } from '../../components/button.tsx'
import { Notice } from '../../components/notice.tsx'
import { EmptyState, Skeleton } from '../../components/states.tsx'
import { paths } from '../../paths.ts'
import { useApp } from '../../shared/use-app.ts'
import { DeliveriesCard } from './deliveries-card.tsx'
import { webhookOf } from './queries.ts'

/** The deliveries for this app, and their results. */
export function AppWebhooksPage() {
  const app = useApp()
  const { data: webhook, isPending } = useQuery(webhookOf(app.id))
  if (isPending) return <Skeleton bare rows={4} height="h-16" /> // its error is shown above the list
  const settings = <ButtonLink to={paths.appSettings(app.id)}>Settings</ButtonLink>
  return (
    <div className="grid gap-4">
      {webhook?.status === 'failed' && (
        <Notice tone="bad">
          The webhook of {app.git_repository} is not registered, so pushes do not arrive. {webhook.error}
        </Notice>
      )}
      {app.git_provider_id !== null && !app.auto_deploy && (
        <Notice tone="plain" actions={settings}>
          Auto-deploy is off: pushes arrive here but do not deploy.
        </Notice>
      )}
      <DeliveriesCard of={{ appId: app.id }} empty={<NothingYet app={app} settings={settings} />} />
    </div>
  )
}

function NothingYet({ app, settings }: { app: Application; settings: ReactNode }) {
  if (app.git_provider_id === null)
    return (
      <EmptyState icon="webhook" title="Pushes do not arrive here" action={settings}>
        Choose the repository through a Git account. Berth then registers a webhook, and a push to the branch deploys this app at once.
      </EmptyState>
    )
  return (
    <EmptyState icon="webhook" title="No deliveries yet">
      Push to {app.git_branch === '' ? 'the default branch' : app.git_branch} of {app.git_repository}. It deploys the app and is listed
      here.
    </EmptyState>
  )
}
