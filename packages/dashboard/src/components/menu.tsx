import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { classNames } from '../lib/class-names.ts'
import { Button } from './button.tsx'
import { Icon, type IconName } from './icon.tsx'

export type MenuItem = {
  label: string
  icon: IconName
  onPick: () => void
  disabled?: boolean
  title?: string
  hint?: string
  isDanger?: boolean
}

/** A button that opens a short list of actions. Escape, Tab and a click elsewhere close it. */
export function Menu({ label, items }: { label: string; items: readonly MenuItem[] }) {
  const [isOpen, setOpen] = useState(false)
  const frame = useRef<HTMLDivElement>(null)
  const close = (): void => {
    setOpen(false)
    frame.current?.querySelector('button')?.focus()
  }
  useEffect(() => {
    if (!isOpen) return undefined
    const elsewhere = (event: PointerEvent): void => {
      if (event.target instanceof Node && !frame.current?.contains(event.target)) setOpen(false)
    }
    addEventListener('pointerdown', elsewhere)
    return () => removeEventListener('pointerdown', elsewhere)
  }, [isOpen])
  return (
    <div ref={frame} className="relative">
      <Button
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-label={label}
        title={label}
        className="px-2"
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="more" />
      </Button>
      {isOpen && <MenuList label={label} items={items} onClose={close} />}
    </div>
  )
}

/** Arrow keys move in it. */
function MenuList({ label, items, onClose }: { label: string; items: readonly MenuItem[]; onClose: () => void }) {
  const list = useRef<HTMLDivElement>(null)
  const choices = (): HTMLElement[] => [...(list.current?.querySelectorAll<HTMLElement>('button:not(:disabled)') ?? [])]
  useEffect(() => list.current?.querySelector<HTMLElement>('button:not(:disabled)')?.focus(), [])
  function pressed(event: KeyboardEvent): void {
    if (event.key === 'Escape' || event.key === 'Tab') return onClose()
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step === 0) return
    event.preventDefault()
    const at = choices().findIndex((each) => each === document.activeElement)
    choices()
      .at((at + step) % choices().length)
      ?.focus()
  }
  function pick({ onPick }: MenuItem): void {
    onClose()
    onPick()
  }
  return (
    <div
      ref={list}
      role="menu"
      aria-label={label}
      onKeyDown={pressed}
      className="absolute right-0 z-20 mt-1 grid min-w-44 rounded-md border border-line bg-raised p-1 shadow-lg"
    >
      {items.map((item) => (
        <button
          key={item.label}
          type="button"
          role="menuitem"
          disabled={item.disabled === true}
          title={item.title}
          onClick={() => pick(item)}
          className={classNames(
            'flex min-h-9 items-center gap-2.5 rounded px-2.5 py-1 text-left text-sm whitespace-nowrap hover:bg-sunken disabled:opacity-55',
            item.isDanger === true && 'text-bad',
          )}
        >
          <Icon name={item.icon} />
          <span>
            {item.label}
            {item.hint !== undefined && <span className="block text-xs text-ink-soft">{item.hint}</span>}
          </span>
        </button>
      ))}
    </div>
  )
}
