import type { Application, ContainerStatus, Deployment } from '@berth/contract'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Card } from '../../components/card.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { Icon } from '../../components/icon.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { paths } from '../../paths.ts'
import { shortUrl } from '../../shared/app-url.ts'
import { CommitWords } from '../../shared/commit-words.tsx'
import { RollbackButton } from '../../shared/rollback-button.tsx'
import { hasDomains } from '../../shared/use-app.ts'
import { liveDeployment, recentDeployments } from '../deployments/queries.ts'
import { services } from '../stacks/queries.ts'
import { container } from './queries.ts'
import { internalAddress } from './runtime-values.ts'

/** Where the app is, and the release that serves. Before the first release only the addresses are known. */
export function LiveCard({ app }: { app: Application }) {
  const { data: live } = useQuery(liveDeployment(app.id))
  const { data: recent } = useQuery(recentDeployments(app.id))
  const { data: inside } = useQuery(container(app.id))
  const previous = recent?.find(({ can_roll_back }) => can_roll_back)
  return (
    <Card title={app.is_deployed ? 'Live' : 'Addresses'} actions={previous && <RollbackButton deployment={previous} />}>
      <Facts>
        {hasDomains(app) && (
          <Fact name="Address">
            <Address app={app} />
          </Fact>
        )}
        {app.is_deployed && <Fact name="Release">{live ? <Release appId={app.id} live={live} /> : 'None'}</Fact>}
        {live && live.commit_hash !== '' && (
          <Fact name="Commit">
            <span className="[overflow-wrap:anywhere]">
              <CommitWords deployment={live} />
            </span>
          </Fact>
        )}
        {app.is_deployed && app.app_type === 'compose' && (
          <Fact name="Services">
            <Services appId={app.id} />
          </Fact>
        )}
        {app.is_deployed && app.app_type !== 'compose' && (
          <Fact name={inside?.replicas ? 'Containers' : 'Container'}>
            {inside === undefined || inside.id === '' || inside.replicas ? (
              (inside?.status ?? '…')
            ) : (
              <>
                {inside.status} <code className="font-mono text-[13px] text-ink-soft">{inside.id.slice(0, 12)}</code>
              </>
            )}
          </Fact>
        )}
        {inside && serversOf(inside) !== '' && <Fact name="Runs on">{serversOf(inside)}</Fact>}
        {inside?.processes?.map(({ name, command, wanted, status, replicas }) => (
          <Fact key={name} name={`Process ${name}`}>
            {wanted === 0 && replicas.length === 0
              ? 'Scaled to 0'
              : [status, ...replicas.filter(({ state }) => state !== 'running').map((each) => each.status)].join(', ')}
            <code className="line-clamp-2 font-mono text-[13px] [overflow-wrap:anywhere] text-ink-soft" title={command}>
              {command}
            </code>
          </Fact>
        ))}
        <Fact name="Internal address">
          <span className="-my-1.5 flex items-center">
            <code className="min-w-0 truncate pr-1 font-mono text-[13px]">{internalAddress(app)}</code>
            <CopyButton text={internalAddress(app)} label="Copy internal address" />
          </span>
        </Fact>
      </Facts>
    </Card>
  )
}

function Services({ appId }: { appId: number }) {
  const { data } = useQuery(services(appId))
  const found = data?.services
  const running = found?.filter(({ state }) => state === 'running').length
  return (
    <Link to={paths.services(appId)} className="text-accent underline">
      {found ? `${running} of ${found.length} running` : 'See services'}
    </Link>
  )
}

/** The servers, each with the number of replicas there; empty if Berth runs them on its own. */
function serversOf({ server, replicas }: ContainerStatus): string {
  const all = replicas ? replicas.map((each) => each.server ?? 'first server') : [server ?? '']
  if (all.every((name) => name === '' || name === 'first server')) return ''
  return [...Map.groupBy(all, (name) => name)].map(([name, some]) => (some.length > 1 ? `${name} (${some.length})` : name)).join(', ')
}

function Address({ app }: { app: Application }) {
  if (app.url === '')
    return (
      <Link to={paths.domains(app.id)} className="text-accent underline">
        Add a domain
      </Link>
    )
  return (
    <a href={app.url} target="_blank" rel="noreferrer" className="inline-flex max-w-full items-center gap-1 text-accent hover:underline">
      <span className="[overflow-wrap:anywhere]">{shortUrl(app.url)}</span>
      <Icon name="external" size={13} />
    </a>
  )
}

function Release({ appId, live }: { appId: number; live: Deployment }) {
  return (
    <>
      <Link to={paths.deployment(appId, live.id)} className="text-accent underline">
        #{live.deployment_number}
      </Link>
      , deployed <RelativeTime at={live.finished_at ?? live.created_at} />
    </>
  )
}
