import type { ReactNode } from 'react'
import { classNames } from '../lib/class-names.ts'
import { Button } from './button.tsx'
import type { IconName } from './icon.tsx'
import { Notice } from './notice.tsx'

type Props = {
  form: { submit: (event: { preventDefault: () => void }) => void; pending: boolean; failure: string | undefined }
  /** The label of the button. */
  submit: string
  children?: ReactNode
  kind?: 'primary' | 'danger'
  icon?: IconName
  disabled?: boolean
  /** In a dialog: adds a Cancel button, and both go to the right. */
  onCancel?: () => void
  /** Shown beside the button. */
  beside?: ReactNode
  /** Class names of one row that holds both the fields and the button. */
  row?: string
  fullWidthButton?: boolean
  /** Below a long form: keeps the button in sight while there is something to save. */
  isSticky?: boolean
  className?: string
}

const STICKY = 'bottom-0 z-10 -mx-1 border-t border-line bg-canvas px-1 py-3'

/** The frame of every form. A failure is shown above the button, where the person is looking. */
export function Form({ form, submit, children, kind = 'primary', icon, disabled = false, onCancel, beside, row, ...look }: Props) {
  const buttons =
    look.fullWidthButton === true ? 'grid' : onCancel ? 'flex justify-end gap-2' : 'flex flex-wrap items-center gap-x-4 gap-y-2'
  return (
    <form className={classNames('grid', row === undefined ? 'gap-4' : 'gap-3', look.className)} onSubmit={form.submit} noValidate>
      {row === undefined && children}
      {form.failure !== undefined && <Notice tone="bad">{form.failure}</Notice>}
      <div className={classNames(row ?? buttons, look.isSticky === true && STICKY, look.isSticky === true && !disabled && 'sticky')}>
        {row !== undefined && children}
        {onCancel && <Button onClick={onCancel}>Cancel</Button>}
        <Button kind={kind} type="submit" pending={form.pending} disabled={disabled} {...(icon && { icon })}>
          {submit}
        </Button>
        {look.isSticky === true && !disabled && <span className="text-[13px] text-ink-soft">Unsaved changes</span>}
        {beside}
      </div>
    </form>
  )
}
