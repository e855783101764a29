import { type Server, type ServerEdgeState, sizeWords } from '@berth/contract'
import { Link } from '@tanstack/react-router'
import { Badge, Tag } from '../../components/badge.tsx'
import { Card } from '../../components/card.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { Notice } from '../../components/notice.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { percentWords, plural } from '../../lib/sizes.ts'
import { serverLook } from '../../lib/status.ts'
import { paths } from '../../paths.ts'
import { FindingRow } from '../../shared/finding-row.tsx'
import { ServerActions } from './server-actions.tsx'

const CHECK_FAILED = { label: 'Check failed', tone: 'bad' } as const

function roleWords({ role, isLeader }: Server): string {
  if (role === 'worker') return 'Worker'
  return isLeader ? 'Manager, leader' : 'Manager'
}

const EDGE_WORDS = {
  off: 'Off',
  current: 'On, up to date',
  behind: 'On, not up to date',
  unreachable: 'Unreachable',
} as const satisfies Record<ServerEdgeState, string>

type Props = { server: Server; isSwarm: boolean; mayChange: boolean; onRemove: (server: Server) => void }

export function ServerCard({ server, isSwarm, mayChange, onRemove }: Props) {
  const title = (
    <span className="flex flex-wrap items-center gap-2">
      {server.name}
      <Badge look={serverLook(server)} />
      {server.isThis && <Tag>This server</Tag>}
      {!server.isChecked && (server.checkedAt === null ? <Tag>Not checked</Tag> : <Badge look={CHECK_FAILED} />)}
      {server.labels.map((label) => (
        <Tag key={label}>{label}</Tag>
      ))}
    </span>
  )
  return (
    <Card
      title={title}
      note={server.address === '' ? undefined : server.address}
      actions={mayChange && <ServerActions server={server} onRemove={onRemove} />}
    >
      <div className="grid gap-4">
        {server.message !== '' && <Notice tone="bad">{server.message}</Notice>}
        {server.edge.message !== '' && <Notice tone="warn">{`Edge: ${server.edge.message}`}</Notice>}
        <Facts>
          {isSwarm && <Fact name="Role">{roleWords(server)}</Fact>}
          {isSwarm && (
            <Fact name="Edge">
              <span title={server.edge.message || undefined}>{EDGE_WORDS[server.edge.state]}</span>
            </Fact>
          )}
          <Fact name="Docker">{server.engine}</Fact>
          <Fact name="CPU">
            {plural(server.cores, 'core')}
            {server.cpu !== null && `, ${percentWords(server.cpu)} used`}
          </Fact>
          <Fact name="Memory">
            {sizeWords(server.memoryBytes)}
            {server.memory !== null && `, ${percentWords(server.memory)} used`}
          </Fact>
          <Fact name="Apps">{server.runs.length === 0 ? 'None' : <Runs runs={server.runs} />}</Fact>
        </Facts>
        <Checks server={server} />
      </div>
    </Card>
  )
}

function Runs({ runs }: Pick<Server, 'runs'>) {
  return (
    <span className="flex flex-wrap gap-x-3 gap-y-1">
      {runs.map(({ appId, appName, containers }) => (
        <span key={appId}>
          <Link to={paths.app(appId)} className="text-accent underline">
            {appName}
          </Link>
          {containers > 1 && ` (${plural(containers, 'container')})`}
        </span>
      ))}
    </span>
  )
}

function Checks({ server: { checks, checkedAt, state } }: { server: Server }) {
  if (checkedAt === null) return null
  const list = (
    <ul className="divide-y divide-line rounded-md border border-line">
      {checks.map((finding) => (
        <FindingRow key={finding.check} finding={finding} />
      ))}
    </ul>
  )
  const at = <RelativeTime at={checkedAt} />
  if (state === 'down')
    return (
      <details className="text-[13px] text-ink-soft">
        <summary className="mb-1 cursor-pointer">The last check, {at}, before it went down</summary>
        {list}
      </details>
    )
  return (
    <div>
      <p className="mb-1 text-[13px] text-ink-soft">Checked {at}</p>
      {list}
    </div>
  )
}
