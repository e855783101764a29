import { useSyncExternalStore } from 'react'

const KEY = 'berth.dismissed'
const MOST_KEPT = 200
const listeners = new Set<() => void>()

function stored(): string {
  return localStorage.getItem(KEY) ?? '[]'
}

function idsOf(text: string): string[] {
  const ids: unknown = JSON.parse(text)
  return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : []
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  addEventListener('storage', listener)
  return () => {
    listeners.delete(listener)
    removeEventListener('storage', listener)
  }
}

/** Concerns that this browser no longer shows. */
export function useDismissed(): ReadonlySet<string> {
  return new Set(idsOf(useSyncExternalStore(subscribe, stored)))
}

export function dismiss(ids: readonly string[]): void {
  localStorage.setItem(KEY, JSON.stringify([...new Set([...idsOf(stored()), ...ids])].slice(-MOST_KEPT)))
  for (const listener of listeners) listener()
}

export function restoreDismissed(): void {
  localStorage.removeItem(KEY)
  for (const listener of listeners) listener()
}
