import { type Application, MOST_REPLICAS, RESTART_POLICIES, STRATEGIES } from '@berth/contract'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { AreaField, SelectField, TextField } from '../../components/field.tsx'
import { PORT_HINTS, RESTART_WORDS, STRATEGY_WORDS } from '../../lib/status.ts'
import type { FormFields } from '../../lib/use-form.ts'
import { ProcessesField } from '../../shared/processes-field.tsx'
import { SourceFields } from '../../shared/source-fields.tsx'
import { cloneOf } from '../../shared/source-values.ts'
import { ImageUpdate } from './image-update.tsx'
import { PlacementField } from './placement-field.tsx'
import { PushFields } from './push-fields.tsx'
import { mayHaveReplicas } from './runtime-values.ts'
import type { SettingsValues } from './settings-values.ts'
import { SourceSetter } from './source-setter.tsx'

type Props = { app: Application; form: FormFields<SettingsValues>; disabled: boolean }

const RESTARTS = RESTART_POLICIES.map((value) => ({ value, label: RESTART_WORDS[value] }))
const STRATEGY_OPTIONS = STRATEGIES.map((value) => ({ value, label: STRATEGY_WORDS[value] }))

export function GeneralFields({ form }: Pick<Props, 'form'>) {
  return (
    <Card title="General">
      <div className="grid gap-4">
        <TextField label="Name" {...form.field('name')} />
        <AreaField label="Description" rows={2} {...form.field('description')} />
      </div>
    </Card>
  )
}

/** A compose app that is deployed from a pasted file. */
export function isPasted({ app_type, git_clone_url }: Application): boolean {
  return app_type === 'compose' && git_clone_url === ''
}

/** The fields of a repository are in the way of a pasted file, until somebody asks for them. */
export function SourceSettings(props: Props) {
  const [isMoving, setMoving] = useState(false)
  if (!isPasted(props.app) || isMoving) return <RepositorySettings {...props} />
  return (
    <Card title="Source">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 text-sm">
        <p className="text-ink-soft">Deployed from the Compose file above.</p>
        <Button icon="git" disabled={props.disabled} onClick={() => setMoving(true)}>
          Use a repository instead
        </Button>
      </div>
    </Card>
  )
}

function RepositorySettings({ app, form, disabled }: Props) {
  const mayBeImage = app.app_type === 'web' || app.app_type === 'service'
  return (
    <Card title="Source">
      <div className="grid gap-4">
        <SourceFields
          projectId={app.project_id}
          value={form.values}
          onChange={form.patch}
          problems={form.problems}
          disabled={disabled}
          mayBeImage={mayBeImage}
        />
        {form.values.via === 'url' && app.git_provider_id === null && (
          <SourceSetter
            app={app}
            inMyName={form.values.inMyName}
            onInMyName={(inMyName) => form.set('inMyName', inMyName)}
            disabled={disabled}
          />
        )}
        {cloneOf(form.values).url !== '' && <PushFields app={app} form={form} />}
        {form.values.via === 'image' ? <ImageUpdate app={app} form={form} /> : <BuildPlaceFields app={app} form={form} />}
      </div>
    </Card>
  )
}

/** The services of a Compose file name their own Dockerfiles. */
function BuildPlaceFields({ app, form }: Pick<Props, 'app' | 'form'>) {
  const isCompose = app.app_type === 'compose'
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <TextField
        label="Root directory"
        hint={`${isCompose ? 'The directory of the Compose file.' : 'The directory to build.'} Leave empty for the repository root.`}
        mono
        {...form.field('rootDirectory')}
      />
      {!isCompose && (
        <TextField
          label="Dockerfile"
          hint="Path inside the root directory."
          placeholder="Dockerfile"
          mono
          {...form.field('dockerfilePath')}
        />
      )}
    </div>
  )
}

export function RuntimeFields({ app, form }: Pick<Props, 'app' | 'form'>) {
  return (
    <Card title="Runtime">
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField label="Port" hint={PORT_HINTS[app.app_type]} inputMode="numeric" {...form.field('port')} />
        <TextField
          label="Health check path"
          hint="Checked before a release goes live. If empty, only the port is checked."
          placeholder="/health"
          mono
          {...form.field('healthcheckPath')}
        />
        <TextField
          label="CPU limit"
          hint="CPU cores, for example 0.5. If empty, the app can use all cores."
          inputMode="decimal"
          {...form.field('cpuLimit')}
        />
        <TextField
          label="Memory limit"
          hint="Megabytes. If empty, the app can use 90% of the server's memory."
          inputMode="numeric"
          {...form.field('memoryLimit')}
        />
        {mayHaveReplicas(app) && (
          <TextField
            label="Replicas"
            hint={`Containers that run at once, 1 to ${MOST_REPLICAS}, each with these limits. Changes without a deployment.`}
            inputMode="numeric"
            {...form.field('replicas')}
          />
        )}
        {mayHaveReplicas(app) && (
          <div className="sm:col-span-2">
            <ProcessesField isImage={app.image !== ''} {...form.field('processes')} />
          </div>
        )}
        <SelectField label="Restart policy" options={RESTARTS} {...form.choice('restartPolicy')} />
        <SelectField
          label="Deployment strategy"
          hint="Rolling: the new release takes over once it is healthy."
          options={STRATEGY_OPTIONS}
          {...form.choice('deploymentStrategy')}
        />
        {mayHaveReplicas(app) && <PlacementField app={app} form={form} />}
      </div>
    </Card>
  )
}
