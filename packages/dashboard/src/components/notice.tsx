import type { ReactNode } from 'react'
import { classNames } from '../lib/class-names.ts'
import { Icon } from './icon.tsx'

const LOOK = {
  bad: 'border-bad/40 bg-bad-soft text-bad',
  warn: 'border-warn/40 bg-warn-soft text-warn',
  plain: 'border-line bg-sunken text-ink-soft',
} as const

/** A sentence that needs to be seen. A `bad` one is read out at once. */
export function Notice({ tone, children, actions }: { tone: keyof typeof LOOK; children: ReactNode; actions?: ReactNode }) {
  return (
    <div
      role={tone === 'bad' ? 'alert' : 'status'}
      className={classNames('flex flex-wrap items-center gap-x-3 gap-y-2 rounded-md border px-3 py-2 text-sm', LOOK[tone])}
    >
      {tone !== 'plain' && <Icon name="alert" />}
      <div className="min-w-0 flex-1 break-words">{children}</div>
      {actions}
    </div>
  )
}
