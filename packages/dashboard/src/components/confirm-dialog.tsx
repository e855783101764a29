import { type ReactNode, useState } from 'react'
import { Dialog } from './dialog.tsx'
import { TextField } from './field.tsx'
import { Form } from './form.tsx'

type Props = {
  title: string
  children: ReactNode
  action: string
  /** Text that must be typed to confirm something that cannot be undone. */
  typed?: string
  kind?: 'danger' | 'primary'
  disabled?: boolean
  wide?: boolean
  pending: boolean
  failure?: string | undefined
  onConfirm: () => void
  onClose: () => void
}

export function ConfirmDialog({
  title,
  children,
  action,
  typed,
  kind = 'danger',
  disabled = false,
  wide = false,
  pending,
  failure,
  onConfirm,
  onClose,
}: Props) {
  const [text, setText] = useState('')
  const ready = typed === undefined || text === typed
  function submit(event: { preventDefault: () => void }): void {
    event.preventDefault()
    if (ready) onConfirm()
  }
  return (
    <Dialog title={title} wide={wide} onClose={onClose}>
      <Form form={{ submit, pending, failure }} submit={action} kind={kind} disabled={!ready || disabled} onCancel={onClose}>
        <div className="grid gap-3 text-sm text-ink-soft">{children}</div>
        {typed !== undefined && (
          <TextField label={`Type "${typed}" to confirm`} value={text} onText={setText} autoComplete="off" spellCheck={false} />
        )}
      </Form>
    </Dialog>
  )
}
