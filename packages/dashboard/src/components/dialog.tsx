import { type ReactNode, useId, useLayoutEffect, useRef } from 'react'
import { IconButton } from './button.tsx'

type Props = { title: string; onClose: () => void; children: ReactNode; wide?: boolean }

/** A modal dialog of the browser itself: it keeps the focus, closes on Escape and gives the focus back. Mount it to open it. */
export function Dialog({ title, onClose, children, wide = false }: Props) {
  const ref = useRef<HTMLDialogElement>(null)
  const heading = useId()
  // Closed while it is still in the page: only then does the browser give the focus back.
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
  return (
    <dialog
      ref={ref}
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
      <div className="p-5">
        <header className="mb-3 flex items-start justify-between gap-4">
          <h2 id={heading} className="pt-1 text-lg font-semibold">
            {title}
          </h2>
          <IconButton icon="close" label="Close" onClick={onClose} />
        </header>
        {children}
      </div>
    </dialog>
  )
}
