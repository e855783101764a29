import { type AppType, parseDotenv } from '@berth/contract'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { flushSync } from 'react-dom'
import { Card } from '../../components/card.tsx'
import { CheckField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { PageHeader } from '../../components/page.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { toast } from '../../components/toast.tsx'
import { call } from '../../lib/api.ts'
import { useIdParam, useSearchState } from '../../lib/route-state.ts'
import { useForm } from '../../lib/use-form.ts'
import { useUnsavedWarning } from '../../lib/use-unsaved-warning.ts'
import { paths } from '../../paths.ts'
import { useAccountsFor } from '../../shared/git-accounts.ts'
import { forgetForm, keepForm, keptForm } from '../../shared/left-form.ts'
import { ProcessesField } from '../../shared/processes-field.tsx'
import { appKeys } from '../apps/queries.ts'
import { deploymentKeys } from '../deployments/queries.ts'
import { gitAccounts } from '../git/queries.ts'
import { project, projectKeys } from '../projects/queries.ts'
import { DetailFields } from './detail-fields.tsx'
import { EnvironmentField } from './environment-field.tsx'
import { KindPicker } from './kind-picker.tsx'
import { EMPTY, isImage, isPasted, mayHaveProcesses, type NewAppValues, newAppInput, portFor, startOf } from './new-app-form.ts'

export function NewAppPage() {
  const projectId = useIdParam('projectId')
  const query = useQuery(project(projectId))
  const { isPending: asksAccounts } = useQuery(gitAccounts) // which decide how the form begins
  return (
    <QueryView page query={asksAccounts && !query.error ? { ...query, data: undefined } : query}>
      {({ name }) => (
        <>
          <PageHeader
            title="New app"
            crumbs={[
              { label: 'Projects', to: paths.projects() },
              { label: name, to: paths.project(projectId) },
            ]}
          />
          <Wizard projectId={projectId} />
        </>
      )}
    </QueryView>
  )
}

function Wizard({ projectId }: { projectId: number }) {
  const [deployNow, setDeployNow] = useState(true)
  const open = useOpenApp(projectId)
  const [templateName] = useSearchState('template')
  const form = useForm('apps.create', {
    initial: useKept(projectId) ?? startOf(templateName),
    input: (values) => newAppInput(projectId, values),
    onDone: ({ id }, values) => open.mutateAsync({ appId: id, deployNow, composeFile: isPasted(values) ? values.composeFile : '' }),
  })
  useUnsavedWarning(form.touched)
  function pickType(appType: AppType): void {
    form.set('port', portFor(appType, form.values))
    form.set('appType', appType)
  }
  function leave(): void {
    const { env, composeFile: text, ...kept } = form.values // both may contain secrets
    keepForm(paths.newApp(projectId), kept)
    if (env === '' && text === '') flushSync(() => form.reset(form.values)) // nothing is lost, so nothing has to be asked
  }
  const broken = parseDotenv(form.values.env).problems.length > 0
  const unpicked = form.values.appType === 'database' && form.values.templateName === ''
  const unwritten = isPasted(form.values) && form.values.composeFile.trim() === ''
  return (
    <Form
      form={form}
      submit={deployNow ? 'Create and deploy' : 'Create'}
      icon="rocket"
      disabled={broken || unpicked || unwritten}
      beside={<CheckField label="Deploy now" checked={deployNow} onCheck={setDeployNow} />}
      className="max-w-3xl"
    >
      <Card title="1 · Type">
        <KindPicker value={form.values.appType} onPick={pickType} />
      </Card>
      <Card title={form.values.appType === 'database' ? '2 · Database' : '2 · Source'}>
        <DetailFields projectId={projectId} form={form} onLeave={leave} />
      </Card>
      <Card title="3 · Environment" note="Optional. You can change it later.">
        <EnvironmentField text={form.values.env} onText={(text) => form.set('env', text)} problem={form.problems['envVars']} />
      </Card>
      {mayHaveProcesses(form.values) && (
        <Card title="4 · Processes" note="Optional. You can change them later.">
          <ProcessesField isImage={isImage(form.values)} {...form.field('processes')} />
        </Card>
      )}
    </Form>
  )
}

/** What was typed before the browser went to GitHub, with the account that came of it. */
function useKept(projectId: number): NewAppValues | undefined {
  const { data: accounts = [] } = useAccountsFor(projectId)
  const [kept] = useState(() => keptForm(paths.newApp(projectId), EMPTY))
  useEffect(forgetForm, [])
  if (kept === undefined || accounts.length === 0) return kept
  const newest = Math.max(...accounts.map(({ id }) => id))
  return { ...kept, via: 'account', gitProviderId: newest, gitRepository: '', repositoryUrl: '', gitBranch: '' } // those of another account
}

/** The app exists at this point: a deployment that cannot be started must not look like a failed creation. */
function useOpenApp(projectId: number) {
  const client = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: async ({ appId, deployNow, composeFile }: { appId: number; deployNow: boolean; composeFile: string }) => {
      void client.invalidateQueries({ queryKey: projectKeys.one(projectId) })
      void client.invalidateQueries({ queryKey: appKeys.list })
      try {
        if (composeFile !== '') await call('stacks.setFile', { appId, composeFile })
      } catch (cause) {
        toast(cause instanceof Error ? cause.message : 'Could not save the compose file.', 'bad')
        return navigate({ to: paths.appSettings(appId) })
      }
      if (!deployNow) return navigate({ to: paths.app(appId) })
      try {
        const { id } = await call('deployments.add', { appId })
        void client.invalidateQueries({ queryKey: deploymentKeys.running })
        await navigate({ to: paths.deployment(appId, id) })
      } catch (cause) {
        toast(cause instanceof Error ? cause.message : 'Could not start the deployment.', 'bad')
        await navigate({ to: paths.app(appId) })
      }
    },
  })
}
