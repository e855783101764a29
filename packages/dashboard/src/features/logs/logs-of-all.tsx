import type { Application } from '@berth/contract'
import { useQuery } from '@tanstack/react-query'
import { QueryView } from '../../components/query-view.tsx'
import { logsOfAll } from '../stacks/queries.ts'
import { KeptLog } from './kept-log.tsx'

/** The newest lines of all containers of an app; each line says which one printed it. */
export function LogsOfAll({ app, className }: { app: Application; className: string }) {
  return (
    <QueryView query={useQuery(logsOfAll(app.id))}>
      {({ logs }) => (
        <KeptLog
          logs={logs}
          fileName={`${app.slug}.log`}
          ended={{ label: 'Updated every few seconds', tone: 'idle' }}
          empty="No output yet."
          className={className}
        />
      )}
    </QueryView>
  )
}
