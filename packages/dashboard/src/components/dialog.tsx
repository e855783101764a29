import { type ReactNode, useId, useLayoutEffect, useRef } from 'react'
import { createPortal } from 'react-dom'
import { Button, IconButton } from './button.tsx'

type Props = { title: string; onClose: () => void; children: ReactNode; wide?: boolean }

/** A native modal dialog: the browser traps focus, closes it on Escape and restores focus. Mount it to open it. */
export function Dialog({ title, onClose, children, wide = false }: Props) {
  const ref = useRef<HTMLDialogElement>(null)
  const heading = useId()
  // Close it before it is unmounted: only then does the browser restore focus.
  useLayoutEffect(() => {
    const dialog = ref.current
    if (dialog && !dialog.open) {
      dialog.showModal()
      // The browser would pick the close button.
      const field =
        dialog.querySelector<HTMLElement>('[data-focus]') ??
        dialog.querySelector<HTMLElement>('input:not([type=checkbox]), textarea, select')
      field?.focus()
    }
    return () => dialog?.close()
  }, [])
  // Outside of the form that may have opened it, whose submit event it must not cause either.
  return createPortal(
    <dialog
      ref={ref}
      onSubmit={(event) => event.stopPropagation()}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onMouseDown={(event) => {
        if (event.target === ref.current) onClose()
      }}
      className={`m-auto max-h-[90dvh] w-[calc(100%-2rem)] ${wide ? 'max-w-3xl' : 'max-w-lg'} rounded-xl border border-line bg-surface p-0 shadow-2xl`}
    >
      <div className="p-5 [overflow-wrap:anywhere]">
        <header className="mb-3 flex items-start justify-between gap-4">
          <h2 id={heading} className="min-w-0 pt-1 text-lg font-semibold [overflow-wrap:anywhere]">
            {title}
          </h2>
          <IconButton icon="close" label="Close" onClick={onClose} />
        </header>
        {children}
      </div>
    </dialog>,
    document.body,
  )
}

/** At the end of a dialog whose work is done, and that only shows the result. */
export function DoneButton({ onClose }: { onClose: () => void }) {
  return (
    <div className="flex justify-end">
      <Button kind="primary" onClick={onClose}>
        Done
      </Button>
    </div>
  )
}
