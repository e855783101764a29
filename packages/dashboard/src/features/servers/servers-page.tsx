import type { Server, Servers } from '@berth/contract'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Notice } from '../../components/notice.tsx'
import { PageHeader } from '../../components/page.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { Skeleton } from '../../components/states.tsx'
import { useMe } from '../session/queries.ts'
import { AddServer } from './add-server.tsx'
import { JoinNotice } from './join-notice.tsx'
import { ManagersDialog } from './managers-dialog.tsx'
import { Outages } from './outages.tsx'
import { servers } from './queries.ts'
import { RemoveServer } from './remove-server.tsx'
import { ServerCard } from './server-card.tsx'
import { TurnOff } from './turn-off.tsx'

type Open = 'nothing' | 'add' | 'managers' | 'off'

export function ServersPage() {
  const [open, setOpen] = useState<Open>('nothing')
  const [removing, setRemoving] = useState<Server>()
  const query = useQuery(servers)
  const isOwner = useMe().role === 'owner'
  const close = (): void => setOpen('nothing')
  const found = query.data
  return (
    <>
      <PageHeader
        title="Servers"
        note="The machines that containers run on."
        actions={
          isOwner &&
          found && (
            <>
              {mayChooseManagers(found) && <Button onClick={() => setOpen('managers')}>Managers…</Button>}
              {found.isSwarm && found.servers.length === 1 && <Button onClick={() => setOpen('off')}>Switch Swarm off…</Button>}
              <Button kind="primary" icon="plus" disabled={found.message !== ''} onClick={() => setOpen('add')}>
                Add server
              </Button>
            </>
          )
        }
      />
      <QueryView query={query} loading={<Skeleton bare rows={2} height="h-40" />}>
        {(now) => <FoundServers found={now} isOwner={isOwner} onRemove={setRemoving} />}
      </QueryView>
      {open === 'add' && found && <AddServer found={found} onClose={close} />}
      {open === 'managers' && found && <ManagersDialog found={found} onClose={close} />}
      {removing && <RemoveServer server={removing} onClose={() => setRemoving(undefined)} />}
      {open === 'off' && <TurnOff onClose={close} />}
    </>
  )
}

/** Also with two managers, which an interrupted change can leave behind. */
function mayChooseManagers({ servers: all }: Servers): boolean {
  return all.length > 2 || all.filter(({ role }) => role === 'manager').length === 2
}

function FoundServers({ found, isOwner, onRemove }: { found: Servers; isOwner: boolean; onRemove: (server: Server) => void }) {
  return (
    <div className="grid max-w-4xl gap-4">
      {found.message !== '' && <Notice tone="warn">{found.message}</Notice>}
      {found.placing !== '' && <Notice tone="plain">{found.placing}</Notice>}
      {isOwner && found.adding.openUntil !== null && <JoinNotice until={found.adding.openUntil} />}
      {found.servers.map((server) => (
        <ServerCard key={server.id} server={server} isSwarm={found.isSwarm} mayChange={isOwner && found.isSwarm} onRemove={onRemove} />
      ))}
      <Outages outages={found.outages} />
    </div>
  )
}
