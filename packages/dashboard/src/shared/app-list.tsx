import { type ListedApplication, type Project, shownStatus } from '@berth/contract'
import { Link } from '@tanstack/react-router'
import { Badge } from '../components/badge.tsx'
import { Icon } from '../components/icon.tsx'
import { TemplateMark } from '../components/template-mark.tsx'
import { APP_LOOK, TYPE_WORDS } from '../lib/status.ts'
import { paths } from '../paths.ts'
import { shortUrl } from './app-url.ts'

/** Apps as rows: state, name, project, address. */
export function AppList({ apps, projects }: { apps: readonly ListedApplication[]; projects: readonly Project[] }) {
  const projectName = new Map(projects.map(({ id, name }) => [id, name]))
  return (
    <ul className="divide-y divide-line">
      {apps.map((app) => (
        <li
          key={app.id}
          className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1 px-4 py-2.5 text-sm sm:grid-cols-[minmax(0,1.2fr)_minmax(0,1fr)_7rem]"
        >
          <div className="flex min-w-0 items-center gap-2.5">
            <span className="grid w-6 shrink-0 place-items-center text-ink-faint">
              {app.template_name === '' ? <Icon name="app" /> : <TemplateMark small name={app.template_name} />}
            </span>
            <div className="min-w-0">
              <Link to={paths.app(app.id)} className="block truncate font-medium hover:underline">
                {app.name}
              </Link>
              <p className="truncate text-[13px] text-ink-soft">
                {projectName.get(app.project_id) ?? 'Project'} · {TYPE_WORDS[app.app_type].label}
              </p>
            </div>
          </div>
          <div className="hidden min-w-0 sm:block">
            {app.is_deployed && app.url !== '' && (
              <a
                href={app.url}
                target="_blank"
                rel="noreferrer"
                className="inline-flex max-w-full items-center gap-1 text-accent hover:underline"
              >
                <span className="truncate">{shortUrl(app.url)}</span>
                <Icon name="external" size={13} />
              </a>
            )}
          </div>
          <div className="justify-self-end">
            <Badge look={APP_LOOK[shownStatus(app)]} />
          </div>
        </li>
      ))}
    </ul>
  )
}
