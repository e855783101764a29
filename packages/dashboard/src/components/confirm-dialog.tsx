import { type ReactNode, useState } from 'react'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { TextField } from './field.tsx'
import { Notice } from './notice.tsx'

type Props = {
  title: string
  children: ReactNode
  action: string
  /** The name to type first, for what cannot be undone. */
  typed?: string
  kind?: 'danger' | 'primary'
  pending: boolean
  failure?: string | undefined
  onConfirm: () => void
  onClose: () => void
}

export function ConfirmDialog({ title, children, action, typed, kind = 'danger', pending, failure, onConfirm, onClose }: Props) {
  const [text, setText] = useState('')
  const ready = typed === undefined || text === typed
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          if (ready) onConfirm()
        }}
      >
        <div className="grid gap-3 text-sm text-ink-soft">{children}</div>
        {typed !== undefined && (
          <TextField label={`Type "${typed}" to go on`} value={text} onText={setText} autoComplete="off" spellCheck={false} />
        )}
        {failure !== undefined && <Notice tone="bad">{failure}</Notice>}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Keep it</Button>
          <Button kind={kind} type="submit" disabled={!ready} pending={pending}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
