import { type Deployment, STAGES, type Stage } from '@berth/contract'
import { Icon } from '../../components/icon.tsx'
import { Spinner } from '../../components/spinner.tsx'
import { classNames } from '../../lib/class-names.ts'
import { isRunning, STAGE_WORDS } from '../../lib/status.ts'

type Mark = 'done' | 'now' | 'failed' | 'cancelled' | 'next'

/** The state of each stage, from the stage that the deployment is in or ended in. */
export function markOf(stage: Stage, deployment: Pick<Deployment, 'stage' | 'status'>): Mark {
  const { status } = deployment
  if (status === 'success' || status === 'rolled_back') return 'done'
  const at = STAGES.findIndex((each) => each === deployment.stage)
  const own = STAGES.indexOf(stage)
  if (own < at) return 'done'
  if (own > at) return 'next'
  if (isRunning(status)) return 'now'
  return status === 'stopped' ? 'cancelled' : 'failed'
}

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

export function StageList({ deployment }: { deployment: Deployment }) {
  return (
    <ol className="grid gap-x-5 gap-y-2 text-sm sm:flex sm:flex-wrap">
      {STAGES.map((stage) => {
        const mark = markOf(stage, deployment)
        return (
          <li
            key={stage}
            className={classNames('flex items-center gap-1.5', LOOK[mark])}
            aria-current={mark === 'now' ? 'step' : undefined}
          >
            <span className="grid size-4 place-items-center">
              {mark === 'done' && <Icon name="check" />}
              {mark === 'now' && <Spinner />}
              {(mark === 'failed' || mark === 'cancelled') && <Icon name="close" />}
              {mark === 'next' && <span aria-hidden="true" className="size-1.5 rounded-full bg-current" />}
            </span>
            {STAGE_WORDS[stage]}
            <span className="sr-only">({SAID[mark]})</span>
          </li>
        )
      })}
    </ol>
  )
}
