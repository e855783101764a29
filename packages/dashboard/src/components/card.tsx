import type { ReactNode } from 'react'
import { classNames } from '../lib/class-names.ts'

type Props = {
  title?: ReactNode
  note?: ReactNode
  actions?: ReactNode
  children: ReactNode
  flush?: boolean
  tone?: 'plain' | 'bad'
  lastOnPhone?: boolean
}

/** A titled section of a page. `flush` lets a table or a list reach the edges. */
export function Card({ title, note, actions, children, flush = false, tone = 'plain', lastOnPhone = false }: Props) {
  return (
    <section
      className={classNames(
        'min-w-0 rounded-lg border bg-surface',
        tone === 'bad' ? 'border-bad/40' : 'border-line',
        lastOnPhone && 'max-sm:order-last',
      )}
    >
      {title !== undefined && (
        <header className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-b border-line px-4 py-2.5">
          <div className="min-w-0 flex-1 basis-52">
            <h2 className="text-[15px] font-semibold [overflow-wrap:anywhere]">{title}</h2>
            {note !== undefined && <p className="text-[13px] [overflow-wrap:anywhere] text-ink-soft">{note}</p>}
          </div>
          {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
        </header>
      )}
      <div className={flush ? '' : 'p-4'}>{children}</div>
    </section>
  )
}
