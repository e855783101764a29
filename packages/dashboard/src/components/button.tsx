import { Link } from '@tanstack/react-router'
import type { ComponentProps, ReactNode } from 'react'
import { classNames } from '../lib/class-names.ts'
import { Icon, type IconName } from './icon.tsx'
import { Spinner } from './spinner.tsx'

type Kind = 'primary' | 'secondary' | 'quiet' | 'danger'

const LOOK = {
  primary: 'bg-accent-solid text-white hover:bg-accent-solid-hover border-transparent',
  secondary: 'bg-raised text-ink border-line-strong/50 hover:border-line-strong hover:bg-sunken',
  quiet: 'text-ink-soft border-transparent hover:bg-sunken hover:text-ink',
  danger: 'bg-bad-solid text-white border-transparent hover:brightness-90',
} as const satisfies Record<Kind, string>

const SHAPE =
  'inline-flex items-center justify-center gap-1.5 whitespace-nowrap rounded-md border px-3 min-h-9 text-sm font-medium transition-colors disabled:opacity-55'

type Props = ComponentProps<'button'> & { kind?: Kind; icon?: IconName; pending?: boolean }

export function Button({ kind = 'secondary', icon, pending = false, children, className, disabled, ...rest }: Props) {
  return (
    <button
      type="button"
      className={classNames(SHAPE, LOOK[kind], className)}
      disabled={disabled === true || pending}
      aria-busy={pending}
      {...rest}
    >
      {pending ? <Spinner /> : icon && <Icon name={icon} />}
      {children}
    </button>
  )
}

/** A button with only an icon. The label is its tooltip and accessible name. */
export function IconButton({
  label,
  icon,
  className,
  ...rest
}: Omit<ComponentProps<'button'>, 'children'> & { label: string; icon: IconName }) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={classNames(
        'inline-grid size-9 shrink-0 place-items-center rounded-md text-ink-soft hover:bg-sunken hover:text-ink disabled:opacity-55 aria-pressed:bg-accent-soft aria-pressed:text-accent',
        className,
      )}
      {...rest}
    >
      <Icon name={icon} />
    </button>
  )
}

type LinkProps = { to: string; search?: Record<string, string>; kind?: Kind; icon?: IconName; children: ReactNode }

export function ButtonLink({ to, search = {}, kind = 'secondary', icon, children }: LinkProps) {
  return (
    <Link to={to} search={search} className={classNames(SHAPE, LOOK[kind])}>
      {icon && <Icon name={icon} />}
      {children}
    </Link>
  )
}
