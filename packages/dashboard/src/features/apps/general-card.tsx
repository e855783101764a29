import type { Application } from '@berth/contract'
import { Card } from '../../components/card.tsx'
import { AreaField, TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { useAppForm } from './save-app.ts'

export function GeneralCard({ app }: { app: Application }) {
  const form = useAppForm(app, { name: app.name, description: app.description }, (typed) => typed)
  return (
    <Card title="General">
      <Form form={form} submit="Save">
        <TextField label="Name" {...form.field('name')} />
        <AreaField label="Description" rows={2} {...form.field('description')} />
      </Form>
    </Card>
  )
}
