import type { Application } from '@berth/contract'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { TextField } from '../../components/field.tsx'
import { Notice } from '../../components/notice.tsx'
import { useAppForm } from './save-app.ts'
import { sourceChange, sourceValues } from './source-change.ts'
import { SourceFields } from './source-fields.tsx'
import { SourceSetter } from './source-setter.tsx'

export function SourceCard({ app, disabled }: { app: Application; disabled: boolean }) {
  const { values, set, submit, problems, pending, failure } = useAppForm(app, sourceValues(app), (typed) => sourceChange(app, typed))
  return (
    <Card title="Source and build">
      <form className="grid gap-4" onSubmit={submit} noValidate>
        {failure !== undefined && <Notice tone="bad">{failure}</Notice>}
        <SourceFields
          projectId={app.project_id}
          url={values.gitCloneUrl}
          branch={values.gitBranch}
          onUrl={(url) => set('gitCloneUrl', url)}
          onBranch={(branch) => set('gitBranch', branch)}
          problems={problems}
          disabled={disabled}
        />
        <SourceSetter app={app} inMyName={values.inMyName} onInMyName={(inMyName) => set('inMyName', inMyName)} disabled={disabled} />
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label="Root directory"
            hint="Where the build begins; empty is the top."
            mono
            value={values.rootDirectory}
            onText={(text) => set('rootDirectory', text)}
            problem={problems['rootDirectory']}
          />
          <TextField
            label="Dockerfile"
            hint="Inside the root directory."
            placeholder="Dockerfile"
            mono
            value={values.dockerfilePath}
            onText={(text) => set('dockerfilePath', text)}
            problem={problems['dockerfilePath']}
          />
        </div>
        <div>
          <Button kind="primary" type="submit" pending={pending}>
            Save
          </Button>
        </div>
      </form>
    </Card>
  )
}
