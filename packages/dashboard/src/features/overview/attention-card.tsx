import { Link } from '@tanstack/react-router'
import { Card } from '../../components/card.tsx'
import { Icon } from '../../components/icon.tsx'
import type { Concern } from './attention.ts'

/** `isWhole` is false when the apps could not be loaded: an empty list is then no good news. */
export function AttentionCard({ concerns, isWhole }: { concerns: readonly Concern[]; isWhole: boolean }) {
  return (
    <Card title="Needs attention" flush>
      {!isWhole && <p className="px-4 py-4 text-sm text-warn">Could not load apps.</p>}
      {concerns.length === 0 ? (
        isWhole && (
          <p className="flex items-center gap-2 px-4 py-4 text-sm text-ink-soft">
            <span className="text-good">
              <Icon name="check" />
            </span>
            Nothing needs attention.
          </p>
        )
      ) : (
        <ul className="divide-y divide-line">
          {concerns.map(({ id, tone, title, reason, to, next }) => (
            <li key={id} className="flex flex-wrap items-start gap-x-3 gap-y-1 px-4 py-3 text-sm">
              <span className={tone === 'bad' ? 'pt-0.5 text-bad' : 'pt-0.5 text-warn'}>
                <Icon name="alert" />
              </span>
              <div className="min-w-0 flex-1">
                <p className="font-medium break-words">{title}</p>
                <p className="line-clamp-2 break-words text-ink-soft">{reason}</p>
              </div>
              <Link to={to} className="shrink-0 text-accent hover:underline max-sm:ml-7 max-sm:basis-full">
                {next}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}
