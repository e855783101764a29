import type { ReactNode } from 'react'
import { Logo } from '../../components/logo.tsx'
import { useDocumentTitle } from '../../components/page.tsx'

/** The centred card of the login and setup pages. */
export function EntryCard({ title, note, children }: { title: string; note: ReactNode; children: ReactNode }) {
  useDocumentTitle(title)
  return (
    <main className="grid min-h-dvh place-items-center p-4">
      <div className="w-full max-w-sm">
        <div className="mb-5 flex items-center gap-2.5">
          <Logo className="size-8" />
          <span className="text-lg font-semibold">Berth</span>
        </div>
        <div className="rounded-xl border border-line bg-surface p-6 shadow-[0_8px_30px_var(--shadow)]">
          <h1 className="text-lg font-semibold">{title}</h1>
          <div className="mt-1 mb-5 text-sm text-ink-soft">{note}</div>
          {children}
        </div>
      </div>
    </main>
  )
}
