import { type Application, sizeWords } from '@berth/contract'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { Secret } from '../../components/secret.tsx'
import { ConnectDialog } from '../../shared/connect-dialog.tsx'
import { templates } from '../templates/queries.ts'
import { connection, storage } from './queries.ts'

/** How other apps in the project connect to a database. */
export function ConnectionCard({ app }: { app: Application }) {
  const [connecting, setConnecting] = useState(false)
  const { data: list } = useQuery(templates)
  const { data: stored } = useQuery(storage(app.id))
  const size = stored?.volumes.reduce((total, { bytes }) => total + bytes, 0)
  const template = list?.find(({ name, aliases }) => name === app.template_name || aliases.includes(app.template_name))
  return (
    <Card
      title="Connection"
      note="For other apps in this project."
      actions={<Button onClick={() => setConnecting(true)}>Connect to app</Button>}
    >
      <QueryView query={useQuery(connection(app.id))}>
        {({ url, host, port }) => (
          <Facts>
            <Fact name="URL">
              <Secret value={url} label="connection URL" />
            </Fact>
            <Fact name="Host">
              <span className="-my-1.5 flex items-center">
                <code className="min-w-0 flex-1 truncate pr-1 font-mono text-[13px]">
                  {host}:{port}
                </code>
                <CopyButton text={`${host}:${port}`} label="Copy host" />
              </span>
            </Fact>
            {template && (
              <Fact name="Version">
                {template.title} {template.version} <span className="text-ink-soft">({template.image})</span>
              </Fact>
            )}
            <Fact name="Size on disk">{size === undefined ? '…' : sizeWords(size)}</Fact>
            <Fact name="Volume">Data is kept in a named volume that survives deployments, rollbacks and restarts.</Fact>
          </Facts>
        )}
      </QueryView>
      {connecting && <ConnectDialog known={app} onClose={() => setConnecting(false)} />}
    </Card>
  )
}
