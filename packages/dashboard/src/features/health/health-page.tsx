import { type Health, sizeWords } from '@berth/contract'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { Badge } from '../../components/badge.tsx'
import { Card } from '../../components/card.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { PageHeader } from '../../components/page.tsx'
import { ProgressBar } from '../../components/progress-bar.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { Skeleton } from '../../components/states.tsx'
import { percentWords, plural } from '../../lib/sizes.ts'
import { HEALTH_LOOK, HEALTH_NOTICES, HEALTH_PARTS, type Look } from '../../lib/status.ts'
import { durationWords, exactTime } from '../../lib/time.ts'
import { useMetrics } from '../../shared/metrics-feed.ts'
import { useMe, version } from '../session/queries.ts'
import { BackupsCard } from './backups-card.tsx'
import { DiskCard } from './disk-card.tsx'
import { DoctorCard } from './doctor-card.tsx'
import { NodesCard } from './nodes-card.tsx'
import { PublishedPorts } from './published-ports.tsx'
import { backups, health, nodes, publishedPorts, updateStatus } from './queries.ts'
import { UpdatesCard } from './updates-card.tsx'

function looksOf({ checks }: Health): Record<keyof Health['checks'], Look> {
  const { database, engine, edge, queue } = HEALTH_LOOK
  return { database: database[checks.database], engine: engine[checks.engine], edge: edge[checks.edge], queue: queue[checks.queue] }
}

const PARTS = ['database', 'engine', 'edge', 'queue'] as const satisfies readonly (keyof Health['checks'])[]

const NOTICE_LOOK: Look = { label: 'Needs attention', tone: 'warn' }

export function HealthPage() {
  const query = useQuery(health)
  const { isPending: asksPorts } = useQuery(publishedPorts)
  const { isPending: asksNodes } = useQuery(nodes)
  const { isPending: asksVersion } = useQuery(version)
  const isOwner = useMe().role === 'owner'
  const { isLoading: asksBackups } = useQuery({ ...backups, enabled: isOwner })
  const { isLoading: asksUpdates } = useQuery({ ...updateStatus, enabled: isOwner })
  const isWaiting = query.isPending || asksPorts || asksNodes || asksVersion || asksBackups || asksUpdates
  return (
    <>
      <PageHeader title="Health" note="Components of this server, checked every few seconds." />
      {/* What stands above other cards is waited for, so that they do not move when it arrives. */}
      {isWaiting ? <Skeleton bare rows={8} height="h-24" /> : <HealthCards query={query} />}
    </>
  )
}

function HealthCards({ query }: { query: UseQueryResult<Health> }) {
  const isOwner = useMe().role === 'owner'
  return (
    <div className="grid max-w-3xl gap-4">
      <Card title="Components" flush>
        <QueryView query={query}>
          {(now) => (
            <ul className="divide-y divide-line">
              {PARTS.map((part) => (
                <Row
                  key={part}
                  title={HEALTH_PARTS[part].title}
                  words={now.messages[part] ?? HEALTH_PARTS[part].purpose}
                  look={looksOf(now)[part]}
                />
              ))}
              {Object.entries(HEALTH_NOTICES)
                .filter(([name]) => now.messages[name] !== undefined)
                .map(([name, title]) => (
                  <Row key={name} title={title} words={now.messages[name] ?? ''} look={NOTICE_LOOK} />
                ))}
              <DiskRow />
            </ul>
          )}
        </QueryView>
      </Card>
      <NodesCard />
      <PublishedPorts />
      {isOwner && <DoctorCard />}
      {isOwner && <BackupsCard />}
      {query.data && <VersionCard uptime={query.data.uptime} />}
      {isOwner && <UpdatesCard />}
      {/* The engine takes a while to measure: last, so that nothing moves when it has. */}
      <DiskCard />
    </div>
  )
}

function Row({ title, words, look }: { title: string; words: string; look: Look }) {
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 px-4 py-3 text-sm">
      <div className="min-w-0">
        <p className="font-medium">{title}</p>
        <p className="text-ink-soft [overflow-wrap:anywhere]">{words}</p>
      </div>
      <Badge look={look} />
    </li>
  )
}

function DiskRow() {
  const now = useMetrics().samples.at(-1)
  return (
    <li className="grid gap-2 px-4 py-3 text-sm">
      <div className="flex justify-between gap-4">
        <span className="font-medium">Disk</span>
        <span className="text-ink-soft">
          {now ? `${sizeWords(now.disk.used)} of ${sizeWords(now.disk.total)}, ${percentWords(now.disk.percent)}` : '…'}
        </span>
      </div>
      <ProgressBar percent={Math.round(now?.disk.percent ?? 0)} label="Disk used" />
      <p className="text-ink-soft">
        {now
          ? `${now.docker.containers_running} of ${plural(now.docker.containers_total, 'container')} running, ${plural(now.docker.images, 'image')}`
          : 'Waiting for data…'}
      </p>
    </li>
  )
}

function VersionCard({ uptime }: { uptime: number }) {
  return (
    <Card title="Version">
      <QueryView query={useQuery(version)}>
        {({ version: number, commit, startedAt }) => (
          <Facts>
            <Fact name="Berth">{number}</Fact>
            {/^[0-9a-f]{7,}$/.test(commit) && (
              <Fact name="Commit">
                <code className="font-mono text-[13px] break-all">{commit}</code>
              </Fact>
            )}
            <Fact name="Started">{exactTime(new Date(startedAt))}</Fact>
            <Fact name="Uptime">{durationWords(uptime)}</Fact>
          </Facts>
        )}
      </QueryView>
    </Card>
  )
}
