import { Link } from '@tanstack/react-router'

type Tab = { label: string; to: string; exact?: boolean }

/** Links between the pages of one thing; on a phone they scroll sideways. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  return (
    <nav aria-label={label} className="mb-5 flex gap-1 overflow-x-auto border-b border-line">
      {tabs.map(({ label: words, to, exact = false }) => (
        <Link
          key={to}
          to={to}
          activeOptions={{ exact, includeSearch: false }}
          className="-mb-px border-b-2 border-transparent px-3 py-2 text-sm whitespace-nowrap text-ink-soft -outline-offset-2 hover:text-ink aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-ink"
        >
          {words}
        </Link>
      ))}
    </nav>
  )
}
