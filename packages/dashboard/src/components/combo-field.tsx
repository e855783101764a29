import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { classNames } from '../lib/class-names.ts'
import { BOX, describedBy, EDGE, type FieldProps, Frame } from './field.tsx'
import { Icon, type IconName } from './icon.tsx'
import { Spinner } from './spinner.tsx'

type ComboOption = { value: string; icon?: { name: IconName; label: string }; note?: ReactNode }

type Props = FieldProps & {
  /** What was chosen. */
  value: string
  /** Those that fit the text. */
  options: readonly ComboOption[]
  text: string
  onText: (text: string) => void
  onPick: (value: string) => void
  onOpen?: () => void
  /** More are being asked for. */
  busy?: boolean
  /** Shown in place of the options when there are none. */
  nothing: ReactNode
  placeholder?: string
  disabled?: boolean
}

/** Longer lists are searched, not scrolled. */
const SHOWN = 100

/** A choice from a long list that is searched by typing. The text field keeps focus and refers to the selected option. */
export function ComboField({ label, hint, problem, value, options, text, onText, onPick, onOpen, disabled = false, ...rest }: Props) {
  const id = useId()
  const shown = options.slice(0, SHOWN)
  const { isOpen, at, setAt, open, close, pick, pressed } = useOptionList({ shown, disabled, onText, onPick, onOpen })
  const words = { label, hint, problem }
  return (
    <Frame id={id} {...words}>
      <div className="relative">
        <input
          id={id}
          role="combobox"
          aria-expanded={isOpen}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={isOpen && shown[at] ? `${id}-${at}` : undefined}
          autoComplete="off"
          spellCheck={false}
          disabled={disabled}
          placeholder={isOpen && value !== '' ? value : rest.placeholder}
          value={isOpen ? text : value}
          onChange={(event) => {
            open()
            onText(event.target.value)
            setAt(0)
          }}
          onClick={open}
          onBlur={close}
          onKeyDown={pressed}
          className={classNames(BOX, EDGE, 'h-9 truncate pr-9 font-mono')}
          {...describedBy(id, words)}
        />
        <span className="pointer-events-none absolute inset-y-0 right-2.5 grid place-items-center text-ink-soft">
          {rest.busy === true ? <Spinner /> : <Icon name="down" />}
        </span>
        {isOpen && (
          <OptionList id={id} label={label} options={shown} more={options.length - shown.length} at={at} onPoint={setAt} onPick={pick}>
            {rest.nothing}
          </OptionList>
        )}
      </div>
    </Frame>
  )
}

type ListDeps = Pick<Props, 'onText' | 'onPick'> & {
  shown: readonly ComboOption[]
  disabled: boolean
  onOpen: (() => void) | undefined
}

/** Whether the list is open and which option is selected, with the pointer or the arrow keys. */
function useOptionList({ shown, disabled, onText, onPick, onOpen }: ListDeps) {
  const [isOpen, setOpen] = useState(false)
  const [at, setAt] = useState(0)
  const close = () => setOpen(false)

  function open(): void {
    if (isOpen || disabled) return
    onText('')
    setAt(0)
    setOpen(true)
    onOpen?.()
  }
  function pick(option: ComboOption | undefined): void {
    if (!option) return
    close()
    onPick(option.value)
  }
  function pressed(event: KeyboardEvent): void {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0) {
      event.preventDefault()
      if (isOpen) setAt((at + step + shown.length) % Math.max(shown.length, 1))
      else open()
    } else if (event.key === 'Enter' && isOpen) {
      event.preventDefault()
      pick(shown[at])
    } else if (event.key === 'Escape' && isOpen) {
      event.stopPropagation()
      close()
    }
  }

  return { isOpen, at, setAt, open, close, pick, pressed }
}

type ListProps = {
  id: string
  label: string
  options: readonly ComboOption[]
  more: number
  at: number
  onPoint: (at: number) => void
  onPick: (option: ComboOption) => void
  children: ReactNode
}

function OptionList({ id, label, options, more, at, onPoint, onPick, children }: ListProps) {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // in braces, because newer browsers return a promise, which React would take for a clean-up
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }, [at])
  return (
    // A press must not take the focus from the text field, which would close the list.
    <div
      ref={list}
      onMouseDown={(event) => event.preventDefault()}
      className="absolute inset-x-0 z-20 mt-1 rounded-md border border-line bg-raised p-1 shadow-lg"
    >
      <ul id={`${id}-list`} role="listbox" aria-label={label} className="max-h-72 overflow-y-auto">
        {options.map((option, index) => (
          <li
            key={option.value}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === at}
            title={option.value}
            onPointerMove={() => index !== at && onPoint(index)}
            onClick={() => onPick(option)}
            className="flex min-h-9 cursor-pointer items-center gap-2 rounded px-2 text-sm aria-selected:bg-accent-soft aria-selected:text-accent"
          >
            <span className="grid w-4 shrink-0 place-items-center text-ink-soft">
              {option.icon && <Icon name={option.icon.name} size={14} />}
            </span>
            <span className="min-w-0 flex-1 truncate font-mono text-[13px]">{option.value}</span>
            {option.icon && <span className="sr-only">{option.icon.label}</span>}
            {option.note !== undefined && <span className="shrink-0 text-xs text-ink-soft max-sm:hidden">{option.note}</span>}
          </li>
        ))}
      </ul>
      {options.length === 0 && <div className="px-2 py-2 text-sm text-ink-soft">{children}</div>}
      {more > 0 && <p className="px-2 py-1.5 text-[13px] text-ink-soft">{more} more. Type to narrow them down.</p>}
    </div>
  )
}
