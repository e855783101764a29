import type { Deployment } from '@berth/contract'
import { Icon } from '../../components/icon.tsx'
import { Spinner } from '../../components/spinner.tsx'
import { classNames } from '../../lib/class-names.ts'
import { secondsWords } from '../../lib/time.ts'
import { useSecond } from '../../lib/use-now.ts'
import { type Mark, stagesOf } from './stages.ts'

const LOOK = {
  done: 'text-good',
  now: 'text-accent',
  failed: 'text-bad',
  cancelled: 'text-ink-soft',
  next: 'text-ink-faint',
} as const satisfies Record<Mark, string>

const SAID = { done: 'done', now: 'running', failed: 'failed', cancelled: 'cancelled', next: 'pending' } as const satisfies Record<
  Mark,
  string
>

/** The stages of a deployment in the order in which they happen, each with how long it took. */
export function StageList({ deployment, isDatabase }: { deployment: Deployment; isDatabase: boolean }) {
  const stages = stagesOf(deployment, isDatabase)
  return (
    <ol className="grid gap-x-5 gap-y-2 text-sm sm:flex sm:flex-wrap">
      {stages.map(({ name, mark, seconds, startedAt }) => (
        <li key={name} className={classNames('flex items-center gap-1.5', LOOK[mark])} aria-current={mark === 'now' ? 'step' : undefined}>
          <span className="grid size-4 place-items-center">
            {mark === 'done' && <Icon name="check" />}
            {mark === 'now' && <Spinner />}
            {(mark === 'failed' || mark === 'cancelled') && <Icon name="close" />}
            {mark === 'next' && <span aria-hidden="true" className="size-1.5 rounded-full bg-current" />}
          </span>
          {name}
          <span className="sr-only">({SAID[mark]})</span>
          {seconds !== undefined && <span className="text-[13px] text-ink-soft tabular-nums">{secondsWords(seconds)}</span>}
          {mark === 'now' && startedAt !== undefined && <Elapsed since={startedAt} />}
        </li>
      ))}
    </ol>
  )
}

function Elapsed({ since }: { since: string }) {
  const now = useSecond()
  const seconds = Math.max(0, Math.round((now - Date.parse(since)) / 1000))
  return <span className="text-[13px] text-ink-soft tabular-nums">{secondsWords(seconds)}</span>
}
