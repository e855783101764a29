import { type ListedApplication, shownStatus } from '@berth/contract'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Badge } from '../components/badge.tsx'
import { Icon } from '../components/icon.tsx'
import { RelativeTime } from '../components/relative-time.tsx'
import { Sparkline } from '../components/sparkline.tsx'
import { TemplateMark } from '../components/template-mark.tsx'
import { glance } from '../features/figures/queries.ts'
import { overview } from '../features/overview/queries.ts'
import { classNames } from '../lib/class-names.ts'
import { percentWords } from '../lib/sizes.ts'
import { APP_LOOK, DEPLOYMENT_LOOK, TYPE_WORDS } from '../lib/status.ts'
import { paths } from '../paths.ts'
import { shortUrl } from './app-url.ts'

/** An app at a glance: state, address, last deployment, CPU. */
export function AppCard({ app }: { app: ListedApplication }) {
  const { data: all } = useQuery(overview)
  const last = all?.newestDeployments.find(({ app_id }) => app_id === app.id)
  return (
    <li className="relative flex min-w-0 flex-col gap-2 rounded-lg border border-line bg-surface p-4 hover:border-line-strong">
      <div className="flex items-start justify-between gap-3">
        <h2 className="min-w-0 truncate font-semibold">
          <Link to={paths.app(app.id)} className="after:absolute after:inset-0 after:rounded-lg">
            {app.name}
          </Link>
        </h2>
        <Badge look={APP_LOOK[shownStatus(app)]} />
      </div>
      <p className="flex min-w-0 items-center gap-1.5 text-[13px] text-ink-soft">
        {app.template_name === '' ? <Icon name="app" size={14} /> : <TemplateMark small name={app.template_name} />}
        {TYPE_WORDS[app.app_type].label}
        {app.template_name !== '' && ` · ${app.template_name}`}
      </p>
      {app.is_deployed && app.url !== '' && (
        <a
          href={app.url}
          target="_blank"
          rel="noreferrer"
          className="relative z-10 flex w-fit max-w-full items-center gap-1 text-[13px] text-accent hover:underline"
        >
          <span className="truncate">{shortUrl(app.url)}</span>
          <Icon name="external" size={12} />
        </a>
      )}
      {app.status_reason !== '' && (
        <p className={classNames('line-clamp-2 text-[13px]', app.status === 'error' ? 'text-bad' : 'text-warn')}>{app.status_reason}</p>
      )}
      {(last !== undefined || shownStatus(app) !== 'not_deployed') && (
        <div className="mt-auto flex min-h-12 items-end justify-between gap-3 text-[13px] text-ink-soft">
          <span>
            {last && (
              <>
                #{last.deployment_number} {DEPLOYMENT_LOOK[last.status].label.toLowerCase()}
                <br />
                <RelativeTime at={last.created_at} />
              </>
            )}
          </span>
          {app.status === 'running' && <CpuSparkline appId={app.id} />}
        </div>
      )}
    </li>
  )
}

/** The last hour. All cards share one request. */
function CpuSparkline({ appId }: { appId: number }) {
  const { data } = useQuery(glance)
  const values = data?.find((each) => each.appId === appId)?.cpu ?? []
  const now = values.findLast((value) => value !== null)
  // The same width before and after the data is there, so that the text beside it does not move.
  return (
    <span className="grid w-30 shrink-0 justify-items-end whitespace-nowrap tabular-nums">
      {data && typeof now !== 'number' && <span className="text-ink-faint">No data yet</span>}
      {typeof now === 'number' && (
        <>
          CPU {percentWords(now)}
          <Sparkline values={values} label={`CPU over the last hour, now ${percentWords(now)}`} />
        </>
      )}
    </span>
  )
}
