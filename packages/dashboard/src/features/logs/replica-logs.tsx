import type { Application, ContainerStatus } from '@berth/contract'
import { SelectField } from '../../components/field.tsx'
import { useSearchState } from '../../lib/route-state.ts'
import { ContainerLog } from './container-log-view.tsx'
import { LogsOfAll } from './logs-of-all.tsx'

const HEIGHT = 'h-[calc(100dvh-21rem)] min-h-96'

type Props = { app: Application; replicas: NonNullable<ContainerStatus['replicas']> }

/** The logs of an app with several replicas: of all, each line with its replica, or of one. */
export function ReplicaLogs({ app, replicas }: Props) {
  const [wanted, setWanted] = useSearchState('replica')
  const chosen = replicas.find(({ replica }) => String(replica) === wanted)
  const options = [
    { value: '', label: 'All replicas' },
    ...replicas.map(({ replica, status }) => ({ value: String(replica), label: `Replica ${replica} (${status})` })),
  ]
  return (
    <div className="grid gap-4">
      <div className="max-w-xs">
        <SelectField label="Replica" options={options} value={chosen ? String(chosen.replica) : ''} onPick={setWanted} />
      </div>
      {chosen === undefined ? (
        <LogsOfAll app={app} className={HEIGHT} />
      ) : (
        <ContainerLog
          key={`${chosen.id} ${chosen.state === 'running'}`}
          appId={app.id}
          containerId={chosen.id}
          fileName={`${app.slug}-replica-${chosen.replica}.log`}
          className={HEIGHT}
        />
      )}
    </div>
  )
}
