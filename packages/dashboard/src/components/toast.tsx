import { useEffect, useSyncExternalStore } from 'react'
import { IconButton } from './button.tsx'
import { Icon } from './icon.tsx'

type Toast = { id: number; text: string; tone: 'good' | 'bad' }

const SHOWN_MS = 5_000
const listeners = new Set<() => void>()
let toasts: readonly Toast[] = []
let nextId = 1

function publish(next: readonly Toast[]): void {
  toasts = next
  for (const listener of listeners) listener()
}

/** Reports the result of something the user did. Changes by others already show up on the page. */
export function toast(text: string, tone: Toast['tone'] = 'good'): void {
  publish([...toasts.slice(-3), { id: nextId, text, tone }])
  nextId += 1
}

function dismiss(id: number): void {
  publish(toasts.filter((each) => each.id !== id))
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts)
  return (
    <div aria-live="polite" className="pointer-events-none fixed inset-x-3 bottom-3 z-50 grid justify-items-end gap-2 sm:left-auto sm:w-96">
      {shown.map((each) => (
        <ToastCard key={each.id} toast={each} />
      ))}
    </div>
  )
}

function ToastCard({ toast: { id, text, tone } }: { toast: Toast }) {
  useEffect(() => {
    const timer = setTimeout(() => dismiss(id), tone === 'bad' ? SHOWN_MS * 2 : SHOWN_MS)
    return () => clearTimeout(timer)
  }, [id, tone])
  return (
    <div className="pointer-events-auto flex w-full items-center gap-2 rounded-lg border border-line bg-raised py-1 pr-1 pl-3 text-sm shadow-lg">
      <span className={tone === 'good' ? 'text-good' : 'text-bad'}>
        <Icon name={tone === 'good' ? 'check' : 'alert'} />
      </span>
      <p className="min-w-0 flex-1 break-words">{text}</p>
      <IconButton icon="close" label="Dismiss" onClick={() => dismiss(id)} />
    </div>
  )
}
