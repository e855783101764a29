import { ApiError } from '@berth/contract'
import type { ReactNode } from 'react'
import { paths } from '../paths.ts'
import { Button, ButtonLink } from './button.tsx'
import { Icon, type IconName } from './icon.tsx'

type SkeletonProps = { rows?: number; height?: string; page?: boolean; bare?: boolean }

/** Grey placeholders of the final size, so that nothing jumps. `bare` ones are not inside a card. */
export function Skeleton({ rows = 3, height = 'h-5', page = false, bare = page }: SkeletonProps) {
  return (
    <div role="status" data-loading="" className={bare ? 'space-y-3' : 'space-y-3 p-4'}>
      {page ? <h1 className="sr-only">Loading</h1> : <span className="sr-only">Loading</span>}
      {page && <div aria-hidden="true" className="mb-6 h-8 w-48 animate-pulse rounded bg-line/70" />}
      {Array.from({ length: rows }, (_, row) => row).map((row) => (
        <div key={row} aria-hidden="true" className={`${height} animate-pulse rounded bg-line/70`} />
      ))}
    </div>
  )
}

type EmptyProps = { icon: IconName; title: string; page?: boolean; children?: ReactNode; action?: ReactNode }

export function EmptyState({ icon, title, page = false, children, action }: EmptyProps) {
  return (
    <div className="grid justify-items-center gap-2 px-4 py-10 text-center">
      <span className="grid size-11 place-items-center rounded-full bg-accent-soft text-accent">
        <Icon name={icon} size={22} />
      </span>
      <StateTitle page={page}>{title}</StateTitle>
      {children !== undefined && <div className="max-w-md text-sm text-balance text-ink-soft">{children}</div>}
      {action !== undefined && <div className="mt-2">{action}</div>}
    </div>
  )
}

/** The title is the page's heading when the state fills the page. */
function StateTitle({ page, children }: { page: boolean; children: string }) {
  return page ? <h1 className="font-semibold">{children}</h1> : <p className="font-semibold">{children}</p>
}

type ErrorProps = { error: Error; page?: boolean; onRetry?: () => void }

export function ErrorState({ error, page = false, onRetry }: ErrorProps) {
  const missing = error instanceof ApiError && error.status === 404
  return (
    <div role="alert" className="grid justify-items-center gap-2 px-4 py-10 text-center">
      <span className="grid size-11 place-items-center rounded-full bg-bad-soft text-bad">
        <Icon name="alert" size={22} />
      </span>
      <StateTitle page={page}>{missing ? 'Not found' : 'Could not load this'}</StateTitle>
      <p className="max-w-md text-sm text-balance text-ink-soft">
        {error.message}
        {missing && ' It may have been deleted, or you are not a member of its project.'}
      </p>
      {page && missing && (
        <div className="mt-2">
          <ButtonLink to={paths.overview()}>Go to overview</ButtonLink>
        </div>
      )}
      {onRetry && !missing && (
        <div className="mt-2">
          <Button icon="restart" onClick={onRetry}>
            Try again
          </Button>
        </div>
      )}
    </div>
  )
}
