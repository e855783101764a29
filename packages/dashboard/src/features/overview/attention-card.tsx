import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { Icon } from '../../components/icon.tsx'
import { type Concern, type ConcernGroup, groupsOf } from './attention.ts'
import { dismiss, restoreDismissed, useDismissed } from './dismissed.ts'

const SHOWN = 3

/** `isWhole` is false when the apps could not be loaded: an empty list is then no good news. */
export function AttentionCard({ concerns, isWhole }: { concerns: readonly Concern[]; isWhole: boolean }) {
  const dismissed = useDismissed()
  const open = concerns.filter(({ id }) => !dismissed.has(id))
  const hidden = concerns.length - open.length
  return (
    <Card title="Needs attention" flush actions={hidden > 0 && <Button onClick={restoreDismissed}>Show {hidden} dismissed</Button>}>
      {!isWhole && <p className="px-4 py-4 text-sm text-warn">Could not load apps.</p>}
      {open.length === 0 && isWhole && (
        <p className="flex items-center gap-2 px-4 py-4 text-sm text-ink-soft">
          <span className="text-good">
            <Icon name="check" />
          </span>
          Nothing needs attention.
        </p>
      )}
      <div className="divide-y divide-line">
        {groupsOf(open).map((group) => (
          <Group key={group.kind} group={group} />
        ))}
      </div>
    </Card>
  )
}

/** A few of one kind; the rest on request. */
function Group({ group: { title, concerns } }: { group: ConcernGroup }) {
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? concerns : concerns.slice(0, SHOWN)
  return (
    <section className="py-1">
      <header className="flex items-center justify-between gap-3 py-1 pr-2 pl-4">
        <h3 className="text-[13px] font-medium text-ink-soft">{title}</h3>
        {concerns.length > 1 && (
          <button
            type="button"
            onClick={() => dismiss(concerns.map(({ id }) => id))}
            className="min-h-6 rounded px-2 text-[13px] text-ink-soft hover:bg-sunken hover:text-ink"
          >
            Dismiss all
          </button>
        )}
      </header>
      <ul>
        {shown.map((concern) => (
          <Row key={concern.id} concern={concern} />
        ))}
      </ul>
      {concerns.length > shown.length && (
        <button type="button" onClick={() => setWhole(true)} className="mb-1 ml-11 text-[13px] text-accent hover:underline">
          Show {concerns.length - shown.length} more
        </button>
      )}
    </section>
  )
}

function Row({ concern: { id, tone, title, reason, to, next } }: { concern: Concern }) {
  return (
    <li className="flex items-start gap-x-3 py-1.5 pr-2 pl-4 text-sm">
      <span className={tone === 'bad' ? 'pt-0.5 text-bad' : 'pt-0.5 text-warn'}>
        <Icon name="alert" />
      </span>
      <div className="min-w-0 flex-1">
        <p className="font-medium [overflow-wrap:anywhere]">{title}</p>
        <p className="[overflow-wrap:anywhere] text-ink-soft">{reason}</p>
        <Link to={to} className="text-accent hover:underline">
          {next}
        </Link>
      </div>
      <IconButton icon="close" label={`Dismiss: ${title}`} onClick={() => dismiss([id])} />
    </li>
  )
}
