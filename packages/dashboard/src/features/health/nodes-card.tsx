import type { ControlPlane } from '@berth/contract'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Badge, Tag } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { plural } from '../../lib/sizes.ts'
import { NODE_LOOK } from '../../lib/status.ts'
import { useMe } from '../session/queries.ts'
import { nodes } from './queries.ts'
import { RemoveNode } from './remove-node.tsx'

/** Only where there are several control planes: the only one on its database has no name, and is not listed. */
export function NodesCard() {
  const { data: list = [] } = useQuery(nodes)
  if (list.length === 0) return null
  return (
    <Card title="Nodes" note="The control planes on this database. If one is away, the others take over its work." flush>
      <ul className="divide-y divide-line">
        {list.map((node) => (
          <NodeRow key={node.name} node={node} />
        ))}
      </ul>
    </Card>
  )
}

function NodeRow({ node }: { node: ControlPlane }) {
  const [isRemoving, setRemoving] = useState(false)
  const mayRemove = useMe().role === 'owner' && node.state !== 'running' && node.isEdgeStopped
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 px-4 py-3 text-sm">
      <div className="min-w-0 [overflow-wrap:anywhere]">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          {node.name}
          {node.isThis && <Tag>This node</Tag>}
          {node.runsLoops && <Tag>Runs the single loops</Tag>}
        </p>
        <p className="text-ink-soft">
          Berth {node.version}
          {node.state === 'running' ? <Running node={node} /> : <Gone node={node} />}
        </p>
      </div>
      <div className="flex items-center gap-3">
        <Badge look={NODE_LOOK[node.state]} />
        {mayRemove && <Button onClick={() => setRemoving(true)}>Remove…</Button>}
      </div>
      {isRemoving && <RemoveNode node={node} onClose={() => setRemoving(false)} />}
    </li>
  )
}

function Running({ node: { startedAt, jobs, isEdgeStopped } }: { node: ControlPlane }) {
  return (
    <>
      {startedAt !== null && (
        <>
          , started <RelativeTime at={startedAt} />
        </>
      )}
      {jobs > 0 && `, ${plural(jobs, 'job')} running`}
      {isEdgeStopped && '. Its proxy is starting.'}
    </>
  )
}

function Gone({ node: { lastSeenAt, isEdgeStopped } }: { node: ControlPlane }) {
  return (
    <>
      , last seen <RelativeTime at={lastSeenAt} />
      {isEdgeStopped && '. Its proxy is stopped.'}
    </>
  )
}
