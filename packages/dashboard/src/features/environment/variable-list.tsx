import type { ReactNode } from 'react'
import { Badge } from '../../components/badge.tsx'
import { IconButton } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { VariableValue } from '../../components/reference-value.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { EmptyState } from '../../components/states.tsx'
import type { Look } from '../../lib/status.ts'
import type { KeyChange } from './change-words.ts'

type Listed = { id: number; key: string; value: string; updatedAt: string }
type Props<Each extends Listed> = {
  variables: readonly Each[]
  changes?: readonly KeyChange[]
  problems?: readonly { key: string; message: string }[]
  empty: ReactNode
  onEdit: (variable: Each) => void
  onRemove: (variable: Each) => void
}

const LOOK = {
  added: { label: 'Added', tone: 'good' },
  changed: { label: 'Changed', tone: 'warn' },
  removed: { label: 'Removed', tone: 'bad' },
} as const satisfies Record<KeyChange['is'], Look>

/** Variables of an app or a project, with what the next deployment changes of them. */
export function VariableList<Each extends Listed>({ variables, changes = [], problems = [], empty, onEdit, onRemove }: Props<Each>) {
  const changeOf = new Map(changes.map(({ key, is }) => [key, is]))
  const problemOf = new Map(problems.map(({ key, message }) => [key, message]))
  const removed = changes.filter(({ key, is }) => is === 'removed' && variables.every((variable) => variable.key !== key))
  if (variables.length === 0 && removed.length === 0)
    return (
      <Card flush>
        <EmptyState icon="gear" title="No variables yet">
          {empty}
        </EmptyState>
      </Card>
    )
  return (
    <Card flush>
      <ul className="divide-y divide-line">
        {variables.map((variable) => (
          <li
            key={variable.id}
            className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3 px-4 py-3 text-sm sm:grid-cols-[minmax(0,2fr)_minmax(0,3fr)_8rem_auto]"
          >
            <span className="flex min-w-0 items-center gap-2">
              <code className="min-w-0 font-mono text-[13px] font-medium [overflow-wrap:anywhere]">{variable.key}</code>
              <ChangeBadge is={changeOf.get(variable.key)} />
            </span>
            <span className="col-span-2 row-start-2 min-w-0 sm:col-span-1 sm:row-start-auto">
              <VariableValue value={variable.value} label={variable.key} />
            </span>
            <span className="hidden text-[13px] text-ink-soft sm:block">
              <RelativeTime at={variable.updatedAt} />
            </span>
            <span className="-my-2 flex">
              <IconButton icon="edit" label={`Edit ${variable.key}`} onClick={() => onEdit(variable)} />
              <IconButton icon="trash" label={`Remove ${variable.key}`} onClick={() => onRemove(variable)} />
            </span>
            {problemOf.has(variable.key) && (
              <p className="col-span-full mt-2 text-[13px] break-words text-bad">
                {problemOf.get(variable.key)} The next deployment would fail.
              </p>
            )}
          </li>
        ))}
        {removed.map(({ key }) => (
          <li key={key} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-3 text-sm">
            <span className="flex min-w-0 items-center gap-2">
              <code className="truncate font-mono text-[13px] text-ink-soft line-through" title={key}>
                {key}
              </code>
              <ChangeBadge is="removed" />
            </span>
            <span className="text-[13px] text-ink-soft">The live release still has it.</span>
          </li>
        ))}
      </ul>
    </Card>
  )
}

function ChangeBadge({ is }: { is: KeyChange['is'] | undefined }) {
  return is && <Badge look={LOOK[is]} />
}
