import type { ReactNode } from 'react'
import { classNames } from '../lib/class-names.ts'
import { Icon } from './icon.tsx'

const LOOK = {
  bad: 'border-bad/40 bg-bad-soft text-bad',
  warn: 'border-warn/40 bg-warn-soft text-warn',
  plain: 'border-line bg-sunken text-ink-soft',
} as const

/** An important message. Screen readers announce a `bad` one immediately. */
export function Notice({ tone, children, actions }: { tone: keyof typeof LOOK; children: ReactNode; actions?: ReactNode }) {
  return (
    <div
      role={tone === 'bad' ? 'alert' : 'status'}
      className={classNames('flex flex-wrap items-center gap-x-3 gap-y-2 rounded-md border px-3 py-2 text-sm', LOOK[tone])}
    >
      {/* The width of a phone screen: there the actions wrap below the text. */}
      <div className="flex min-w-0 flex-1 basis-68 items-start gap-3">
        {tone !== 'plain' && (
          <span className="pt-0.5">
            <Icon name="alert" />
          </span>
        )}
        <div className="min-w-0 [overflow-wrap:anywhere]">{children}</div>
      </div>
      {actions}
    </div>
  )
}
