import { type ComponentProps, type ReactNode, useId } from 'react'
import { classNames } from '../lib/class-names.ts'

export type FieldProps = { label: string; hint?: ReactNode; problem?: string | undefined; hideLabel?: boolean }

export const BOX =
  'w-full rounded-md border bg-raised px-2.5 text-sm text-ink placeholder:text-ink-faint disabled:bg-sunken disabled:text-ink-soft aria-invalid:border-bad'
export const EDGE = 'border-line-strong/60 hover:border-line-strong'

/** A label above a control, with what is wrong and a hint below it. */
export function Frame({ id, label, hint, problem, hideLabel, children }: FieldProps & { id: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <label htmlFor={id} className={hideLabel === true ? 'sr-only' : 'mb-1 block text-[13px] font-medium [overflow-wrap:anywhere]'}>
        {label}
      </label>
      {children}
      {problem !== undefined && (
        <p id={`${id}-problem`} className="mt-1 text-[13px] text-bad">
          {problem}
        </p>
      )}
      {hint !== undefined && (
        <div id={`${id}-hint`} className="mt-1 text-[13px] text-ink-soft">
          {hint}
        </div>
      )}
    </div>
  )
}

export function describedBy(id: string, { hint, problem }: FieldProps): { 'aria-describedby'?: string; 'aria-invalid'?: true } {
  const ids = [problem !== undefined && `${id}-problem`, hint !== undefined && `${id}-hint`].filter((each) => each !== false)
  return { ...(ids.length > 0 ? { 'aria-describedby': ids.join(' ') } : {}), ...(problem !== undefined ? { 'aria-invalid': true } : {}) }
}

type TextProps = FieldProps & Omit<ComponentProps<'input'>, 'onChange'> & { onText: (text: string) => void; mono?: boolean }

export function TextField({ label, hint, problem, hideLabel = false, onText, mono = false, className, ...rest }: TextProps) {
  const id = useId()
  const words = { label, hint, problem, hideLabel }
  return (
    <Frame id={id} {...words}>
      <input
        id={id}
        className={classNames(BOX, EDGE, 'h-9', mono && 'font-mono', className)}
        onChange={(event) => onText(event.target.value)}
        {...describedBy(id, words)}
        {...rest}
      />
    </Frame>
  )
}

type AreaProps = FieldProps & Omit<ComponentProps<'textarea'>, 'onChange'> & { onText: (text: string) => void; mono?: boolean }

export function AreaField({ label, hint, problem, hideLabel = false, onText, mono = false, rows = 3, ...rest }: AreaProps) {
  const id = useId()
  const words = { label, hint, problem, hideLabel }
  return (
    <Frame id={id} {...words}>
      <textarea
        id={id}
        rows={rows}
        className={classNames(BOX, EDGE, 'py-2', mono && 'font-mono text-[13px]')}
        onChange={(event) => onText(event.target.value)}
        {...describedBy(id, words)}
        {...rest}
      />
    </Frame>
  )
}

type SelectProps<Word extends string> = FieldProps & {
  value: Word
  options: readonly { value: Word; label: string }[]
  onPick: (value: Word) => void
  disabled?: boolean
}

export function SelectField<Word extends string>({
  label,
  hint,
  problem,
  hideLabel = false,
  value,
  options,
  onPick,
  disabled = false,
}: SelectProps<Word>) {
  const id = useId()
  const words = { label, hint, problem, hideLabel }
  return (
    <Frame id={id} {...words}>
      <select
        id={id}
        value={value}
        disabled={disabled}
        className={classNames(BOX, EDGE, 'h-9')}
        onChange={(event) => {
          const picked = options.find((option) => option.value === event.target.value)
          if (picked) onPick(picked.value)
        }}
        {...describedBy(id, words)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </Frame>
  )
}

type CheckProps = { label: ReactNode; checked: boolean; onCheck: (checked: boolean) => void; disabled?: boolean }

export function CheckField({ label, checked, onCheck, disabled = false }: CheckProps) {
  const id = useId()
  return (
    <div className="flex items-start gap-2">
      <input
        id={id}
        type="checkbox"
        checked={checked}
        disabled={disabled}
        className="mt-0.5 size-4 shrink-0 accent-(--accent-solid)"
        onChange={(event) => onCheck(event.target.checked)}
      />
      <label htmlFor={id} className="text-sm">
        {label}
      </label>
    </div>
  )
}
