import { classNames } from '../lib/class-names.ts'
import type { Look, Tone } from '../lib/status.ts'

const PILL = {
  good: 'bg-good-soft text-good',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
  busy: 'bg-accent-soft text-accent',
  idle: 'bg-sunken text-ink-soft',
} as const satisfies Record<Tone, string>

export function Badge({ look }: { look: Look }) {
  return (
    <span
      className={classNames(
        'inline-flex items-center gap-1.5 whitespace-nowrap rounded-full px-2 py-0.5 text-xs font-medium',
        PILL[look.tone],
      )}
    >
      <span aria-hidden="true" className={classNames('size-1.5 rounded-full bg-current', look.tone === 'busy' && 'pulse-dot')} />
      {look.label}
    </span>
  )
}

export function Tag({ children }: { children: string }) {
  return (
    <span className="inline-block max-w-full truncate rounded bg-sunken px-1.5 py-0.5 text-xs font-normal text-ink-soft">{children}</span>
  )
}
