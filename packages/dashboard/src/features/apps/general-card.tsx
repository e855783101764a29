import type { Application } from '@berth/contract'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { AreaField, TextField } from '../../components/field.tsx'
import { Notice } from '../../components/notice.tsx'
import { useAppForm } from './save-app.ts'

export function GeneralCard({ app }: { app: Application }) {
  const { values, set, submit, problems, pending, failure } = useAppForm(
    app,
    { name: app.name, description: app.description },
    (typed) => typed,
  )
  return (
    <Card title="General">
      <form className="grid gap-4" onSubmit={submit} noValidate>
        {failure !== undefined && <Notice tone="bad">{failure}</Notice>}
        <TextField label="Name" value={values.name} onText={(name) => set('name', name)} problem={problems['name']} />
        <AreaField
          label="Description"
          rows={2}
          value={values.description}
          onText={(text) => set('description', text)}
          problem={problems['description']}
        />
        <div>
          <Button kind="primary" type="submit" pending={pending}>
            Save
          </Button>
        </div>
      </form>
    </Card>
  )
}
