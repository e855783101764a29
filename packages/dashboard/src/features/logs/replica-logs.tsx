import type { Application, ContainerStatus } from '@berth/contract'
import { SelectField } from '../../components/field.tsx'
import { useSearchState } from '../../lib/route-state.ts'
import { ContainerLog } from './container-log-view.tsx'
import { processPrefix } from './follow-container.ts'

const HEIGHT = 'h-[calc(100dvh-21rem)] min-h-96'

type Replicas = NonNullable<ContainerStatus['replicas']>
type Processes = NonNullable<ContainerStatus['processes']>
type Props = { app: Application; replicas: Replicas; processes: Processes }

function mainOf({ app_type }: Application): string {
  return app_type === 'web' ? 'web' : 'main'
}

/** Every container of an app, the main process first, and what it is called among the others. */
function printersOf(app: Application, { replicas, processes }: Omit<Props, 'app'>) {
  const main = mainOf(app)
  const named = (name: string, all: Replicas) =>
    all.map((each) => ({ ...each, key: `${name}-${each.replica}`, label: all.length > 1 ? `${name} replica ${each.replica}` : name }))
  if (processes.length > 0) return [...named(main, replicas), ...processes.flatMap((each) => named(each.name, each.replicas))]
  return replicas.map((each) => ({ ...each, key: String(each.replica), label: `Replica ${each.replica}` }))
}

/** The logs of an app with several replicas or processes: of all, each line with its replica or process, or of one. */
export function ReplicaLogs({ app, replicas, processes }: Props) {
  const [wanted, setWanted] = useSearchState('replica')
  const printers = printersOf(app, { replicas, processes })
  const chosen = printers.find(({ key }) => key === wanted)
  const word = processes.length > 0 ? 'Process' : 'Replica'
  const options = [
    { value: '', label: processes.length > 0 ? 'All processes' : 'All replicas' },
    ...printers.map(({ key, label, status }) => ({ value: key, label: `${label} (${status})` })),
  ]
  return (
    <div className="grid gap-4">
      <div className="max-w-xs">
        <SelectField label={word} options={options} value={chosen?.key ?? ''} onPick={setWanted} />
      </div>
      {chosen === undefined ? (
        <AllLogs app={app} replicas={replicas} processes={processes} />
      ) : (
        <ContainerLog
          key={`${chosen.id} ${chosen.state === 'running'}`}
          appId={app.id}
          containerId={chosen.id}
          fileName={processes.length > 0 ? `${app.slug}-${chosen.key}.log` : `${app.slug}-replica-${chosen.key}.log`}
          className={HEIGHT}
        />
      )}
    </div>
  )
}

/** Read again when a process gets its second container, and with it numbers. */
function AllLogs({ app, replicas, processes }: Props) {
  const log = { appId: app.id, fileName: `${app.slug}.log`, className: HEIGHT }
  if (processes.length === 0) return <ContainerLog {...log} />
  const all = [{ name: mainOf(app), replicas }, ...processes]
  const replicated = all.filter((each) => each.replicas.length > 1).map(({ name }) => name)
  return <ContainerLog key={replicated.join(' ')} {...log} named={processPrefix(mainOf(app), replicated)} />
}
