import type { Application } from '@berth/contract'
import { Card } from '../../components/card.tsx'
import { TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { SourceFields } from '../../shared/source-fields.tsx'
import { useAppForm } from './save-app.ts'
import { sourceChange, sourceValues } from './source-change.ts'
import { SourceSetter } from './source-setter.tsx'

export function SourceCard({ app, disabled }: { app: Application; disabled: boolean }) {
  const form = useAppForm(app, sourceValues(app), (typed) => sourceChange(app, typed))
  return (
    <Card title="Source and build">
      <Form form={form} submit="Save">
        <SourceFields projectId={app.project_id} url={form.field('gitCloneUrl')} branch={form.field('gitBranch')} disabled={disabled} />
        <SourceSetter
          app={app}
          inMyName={form.values.inMyName}
          onInMyName={(inMyName) => form.set('inMyName', inMyName)}
          disabled={disabled}
        />
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label="Root directory"
            hint="Where the build starts. Leave empty for the repository root."
            mono
            {...form.field('rootDirectory')}
          />
          <TextField
            label="Dockerfile"
            hint="Path inside the root directory."
            placeholder="Dockerfile"
            mono
            {...form.field('dockerfilePath')}
          />
        </div>
      </Form>
    </Card>
  )
}
