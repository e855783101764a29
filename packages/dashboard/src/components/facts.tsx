import type { ReactNode } from 'react'

/** Names and values, side by side. */
export function Facts({ children }: { children: ReactNode }) {
  return <dl className="grid grid-cols-[minmax(6.5rem,max-content)_minmax(0,1fr)] items-baseline gap-x-5 gap-y-2 text-sm">{children}</dl>
}

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-ink-soft">{name}</dt>
      <dd className="min-w-0 [overflow-wrap:anywhere]">{children}</dd>
    </>
  )
}
