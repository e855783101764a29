import type { Application } from '@berth/contract'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Form } from '../../components/form.tsx'
import { Notice } from '../../components/notice.tsx'
import { Skeleton } from '../../components/states.tsx'
import { toast } from '../../components/toast.tsx'
import { useForm } from '../../lib/use-form.ts'
import { useUnsavedWarning } from '../../lib/use-unsaved-warning.ts'
import { useApp } from '../../shared/use-app.ts'
import { gitAccounts, webhookOf } from '../git/queries.ts'
import { BuildSecretsCard } from './build-secrets-card.tsx'
import { BuildSettings } from './build-settings.tsx'
import { ComposeFileCard } from './compose-file-card.tsx'
import { DataServerCard } from './data-server-card.tsx'
import { DeployHookCard } from './deploy-hook-card.tsx'
import { DeployKeyCard } from './deploy-key-card.tsx'
import { PortsCard } from './ports-card.tsx'
import { appKeys } from './queries.ts'
import { useAppRights } from './rights.ts'
import { GeneralFields, isPasted, RuntimeFields, SourceSettings } from './settings-fields.tsx'
import { settingsChange, settingsValues } from './settings-values.ts'

export function AppSettings() {
  const app = useApp()
  const { mayEdit, whyNotEdit, isPending: asksProject } = useAppRights(app)
  const { isPending: asksAccounts } = useQuery(gitAccounts)
  const { isLoading: asksWebhook } = useQuery({ ...webhookOf(app.id), enabled: app.git_provider_id !== null })
  // The source stands above other settings, which must not move when its fields arrive.
  if (asksProject || asksAccounts || asksWebhook) return <Skeleton bare rows={8} height="h-16" />
  return (
    <div className="grid max-w-3xl gap-4">
      {!mayEdit && <Notice tone="plain">{whyNotEdit}</Notice>}
      {isPasted(app) && <ComposeFileCard app={app} disabled={!mayEdit} />}
      <fieldset disabled={!mayEdit} className="grid min-w-0 gap-4">
        <legend className="sr-only">Settings of {app.name}</legend>
        <SettingsForm app={app} disabled={!mayEdit} />
      </fieldset>
      <DataServerCard app={app} disabled={!mayEdit} />
      {app.app_type === 'compose' && <PortsCard app={app} disabled={!mayEdit} />}
      {app.app_type !== 'database' && app.git_clone_url !== '' && <BuildSecretsCard app={app} disabled={!mayEdit} />}
      {app.app_type !== 'database' && <DeployHookCard app={app} />}
      {app.app_type !== 'database' && app.git_provider_id === null && app.image === '' && <DeployKeyCard app={app} disabled={!mayEdit} />}
    </div>
  )
}

/** How many containers of each process there are is the only setting that changes what runs. */
function savedWords({ replicas, processes, status }: Application, saved: Application): string {
  const numbers = (all: Application['processes']) => JSON.stringify(all.map((each) => [each.name, each.replicas]))
  if (status === 'running' && saved.replicas === replicas && numbers(saved.processes) !== numbers(processes))
    return 'Saved. Scaling the processes. Other changes take effect on the next deployment.'
  if (saved.replicas === replicas || status !== 'running') return 'Saved. Takes effect on the next deployment.'
  return `Saved. Scaling to ${saved.replicas} ${saved.replicas === 1 ? 'replica' : 'replicas'}. Other changes take effect on the next deployment.`
}

function SettingsForm({ app, disabled }: { app: Application; disabled: boolean }) {
  const client = useQueryClient()
  const form = useForm('apps.update', {
    initial: settingsValues(app),
    input: (values) => ({ appId: app.id, ...settingsChange(app, values) }),
    onDone: async (saved) => {
      await client.invalidateQueries({ queryKey: appKeys.all })
      toast(savedWords(app, saved))
    },
  })
  useUnsavedWarning(form.touched)
  return (
    <Form form={form} submit="Save" disabled={!form.touched} isSticky>
      <GeneralFields form={form} />
      {app.app_type !== 'database' && <SourceSettings app={app} form={form} disabled={disabled} />}
      {app.app_type !== 'database' && app.git_clone_url + app.image !== '' && <BuildSettings app={app} form={form} />}
      <RuntimeFields app={app} form={form} />
    </Form>
  )
}
