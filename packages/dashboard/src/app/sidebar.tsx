import { Link } from '@tanstack/react-router'
import { IconButton } from '../components/button.tsx'
import { Icon, type IconName } from '../components/icon.tsx'
import { Logo } from '../components/logo.tsx'
import { LogoutButton } from '../features/session/logout-button.tsx'
import { isAdmin, useMe } from '../features/session/queries.ts'
import { ROLE_WORDS } from '../lib/status.ts'
import { paths } from '../paths.ts'
import { ThemeSwitch } from './theme-switch.tsx'
import { UpdateLink } from './update-link.tsx'

type Entry = { label: string; to: string; icon: IconName; exact?: boolean }

const PAGES: readonly Entry[] = [
  { label: 'Overview', to: paths.overview(), icon: 'overview', exact: true },
  { label: 'Projects', to: paths.projects(), icon: 'project' },
  { label: 'Apps', to: paths.apps(), icon: 'app' },
  { label: 'Templates', to: paths.templates(), icon: 'template' },
]

const ADMIN_PAGES: readonly Entry[] = [
  { label: 'Users', to: paths.users(), icon: 'users' },
  { label: 'Settings', to: paths.settings(), icon: 'gear' },
  { label: 'Servers', to: paths.servers(), icon: 'server' },
  { label: 'Audit log', to: paths.audit(), icon: 'audit' },
  { label: 'Health', to: paths.health(), icon: 'health' },
]

export function Sidebar({ onSearch, onClose }: { onSearch: () => void; onClose?: () => void }) {
  const person = useMe()
  return (
    <div className="flex h-full flex-col gap-4 overflow-y-auto p-3">
      <div className="flex items-center gap-2 px-2 pt-1">
        <Logo className="size-6" />
        <span className="text-[15px] font-semibold">Berth</span>
        {onClose && <IconButton icon="close" label="Close menu" className="ml-auto" onClick={onClose} />}
      </div>
      <button
        type="button"
        onClick={onSearch}
        className="flex h-9 items-center gap-2 rounded-md border border-line bg-canvas px-2.5 text-sm text-ink-soft hover:border-line-strong"
      >
        <Icon name="search" />
        Search
        <kbd className="ml-auto font-sans text-xs text-ink-faint">Ctrl K</kbd>
      </button>
      <nav aria-label="Pages" className="grid gap-0.5">
        {PAGES.map((entry) => (
          <NavLink key={entry.to} entry={entry} />
        ))}
      </nav>
      {isAdmin(person) && (
        <nav aria-label="Administration" className="grid gap-0.5">
          <p className="px-2.5 pb-1 text-xs font-medium text-ink-faint">Administration</p>
          {ADMIN_PAGES.map((entry) => (
            <NavLink key={entry.to} entry={entry} />
          ))}
        </nav>
      )}
      <div className="mt-auto grid grid-cols-[minmax(0,1fr)] gap-2">
        {person.role === 'owner' && <UpdateLink />}
        <ThemeSwitch />
        <div className="flex items-center gap-1 border-t border-line pt-2">
          <Link to={paths.account()} className="min-w-0 flex-1 rounded-md px-2.5 py-1.5 hover:bg-sunken" title={person.email}>
            <span className="block truncate text-sm">{person.email}</span>
            <span className="block text-xs text-ink-soft">{ROLE_WORDS[person.role].label}</span>
          </Link>
          <LogoutButton />
        </div>
      </div>
    </div>
  )
}

function NavLink({ entry: { label, to, icon, exact = false } }: { entry: Entry }) {
  return (
    <Link
      to={to}
      activeOptions={{ exact, includeSearch: false }}
      className="flex min-h-9 items-center gap-2.5 rounded-md px-2.5 text-sm text-ink-soft hover:bg-sunken hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:font-medium aria-[current=page]:text-accent"
    >
      <Icon name={icon} />
      {label}
    </Link>
  )
}
