import { Link } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { Icon } from './icon.tsx'

type Crumb = { label: string; to: string }
type Props = { title: string; crumbs?: readonly Crumb[]; beside?: ReactNode; note?: ReactNode; actions?: ReactNode }

export function useDocumentTitle(title: string): void {
  useEffect(() => {
    document.title = title === '' ? 'Berth' : `${title} · Berth`
  }, [title])
}

/** The top of a page: breadcrumb, title and actions. */
export function PageHeader({ title, crumbs = [], beside, note, actions }: Props) {
  useDocumentTitle(title)
  return (
    <header className="mb-5">
      {crumbs.length > 0 && (
        <nav aria-label="Breadcrumb" className="mb-1 flex flex-wrap items-center gap-1 text-[13px] text-ink-soft">
          {crumbs.map(({ label, to }, at) => (
            <span key={to} className="flex min-w-0 max-w-full items-center gap-1">
              {at > 0 && <Icon name="chevron" size={12} />}
              <Link to={to} className="truncate hover:text-ink hover:underline">
                {label}
              </Link>
            </span>
          ))}
        </nav>
      )}
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-3">
        <div className="min-w-0">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <h1 className="min-w-0 text-xl font-semibold [overflow-wrap:anywhere]">{title}</h1>
            {beside}
          </div>
          {note !== undefined && <div className="mt-0.5 text-sm [overflow-wrap:anywhere] text-ink-soft">{note}</div>}
        </div>
        {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </div>
    </header>
  )
}
