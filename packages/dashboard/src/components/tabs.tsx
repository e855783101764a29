import { Link, useRouterState } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'

/** `also` is a page that belongs to the tab but has a different path. */
type Tab = { label: string; to: string; exact?: boolean; also?: string }

/** Links between the pages of one thing; on a phone they scroll sideways. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  const nav = useRef<HTMLElement>(null)
  const path = useRouterState({ select: (state) => state.location.pathname })
  const isThere = useRouterState({ select: (state) => state.status === 'idle' }) // the current tab is known for sure then
  useEffect(() => {
    const current = nav.current?.querySelector<HTMLElement>('[aria-current=page]')
    if (nav.current && current) nav.current.scrollLeft = current.offsetLeft - nav.current.clientWidth / 2 + current.clientWidth / 2
  }, [path, isThere])
  return (
    <nav ref={nav} aria-label={label} className="scroll-edges relative mb-5 flex gap-1 overflow-x-auto border-b border-line">
      {tabs.map(({ label: words, to, exact = false, also }) => (
        <Link
          key={to}
          to={to}
          activeOptions={{ exact, includeSearch: false }}
          {...(path === also ? { 'aria-current': 'page' } : {})}
          className="-mb-px border-b-2 border-transparent px-3 py-2 text-sm whitespace-nowrap text-ink-soft -outline-offset-2 hover:text-ink aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-ink"
        >
          {words}
        </Link>
      ))}
    </nav>
  )
}
