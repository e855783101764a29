import type { ComponentProps } from 'react'
import { Dialog } from '../../components/dialog.tsx'
import { AreaField, TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import type { FormFields } from '../../lib/use-form.ts'

type Pair = { key: string; value: string }
type Props = {
  form: FormFields<Pair> & ComponentProps<typeof Form>['form']
  /** Shown at the name, where it belongs to neither field alone. */
  problem?: string | undefined
}

/** One row: name, value, Add. */
export function AddFields({ form, problem }: Props) {
  const name = form.field('key')
  return (
    <Form form={form} submit="Add" row="grid items-start gap-2 sm:grid-cols-[16rem_minmax(0,1fr)_auto]">
      <TextField
        label="Name"
        hideLabel
        placeholder="NAME"
        mono
        autoComplete="off"
        spellCheck={false}
        {...name}
        problem={name.problem ?? problem}
      />
      <TextField label="Value" hideLabel placeholder="value" mono autoComplete="off" spellCheck={false} {...form.field('value')} />
    </Form>
  )
}

export function EditFields({ form, title, problem, onClose }: Props & { title: string; onClose: () => void }) {
  const name = form.field('key')
  return (
    <Dialog title={title} onClose={onClose}>
      <Form form={form} submit="Save" onCancel={onClose}>
        <TextField label="Name" mono {...name} problem={name.problem ?? problem} />
        <AreaField label="Value" mono rows={4} data-focus spellCheck={false} {...form.field('value')} />
      </Form>
    </Dialog>
  )
}
