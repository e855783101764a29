import type { Application, StackService } from '@berth/contract'
import { useQuery } from '@tanstack/react-query'
import { SelectField } from '../../components/field.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { useSearchState } from '../../lib/route-state.ts'
import { services } from '../stacks/queries.ts'
import { ContainerLog } from './container-log-view.tsx'
import { LastFailedLog } from './last-failed-log.tsx'

const HEIGHT = 'h-[calc(100dvh-21rem)] min-h-96'

/** The logs of a compose app: of all its services, each line with its service, or of one. */
export function ServiceLogs({ app }: { app: Application }) {
  return (
    <QueryView query={useQuery(services(app.id))}>
      {({ services: found }) =>
        found.length === 0 ? <LastFailedLog app={app} fileName={`${app.slug}.log`} /> : <Chosen app={app} services={found} />
      }
    </QueryView>
  )
}

function Chosen({ app, services: found }: { app: Application; services: readonly StackService[] }) {
  const [wanted, setWanted] = useSearchState('service')
  const service = found.find(({ name }) => name === wanted)
  const options = [{ value: '', label: 'All services' }, ...found.map(({ name }) => ({ value: name, label: name }))]
  return (
    <div className="grid gap-4">
      <div className="max-w-xs">
        <SelectField label="Service" options={options} value={service?.name ?? ''} onPick={setWanted} />
      </div>
      {service === undefined && <ContainerLog appId={app.id} fileName={`${app.slug}.log`} className={HEIGHT} />}
      {service !== undefined && service.containerId === '' && <p className="text-sm text-ink-soft">{service.name} has no container now.</p>}
      {service !== undefined && service.containerId !== '' && (
        <ContainerLog
          key={service.replicas > 1 ? service.name : `${service.containerId} ${service.state === 'running'}`}
          appId={app.id}
          {...(service.replicas > 1 ? { service: service.name } : { containerId: service.containerId })}
          fileName={`${app.slug}-${service.name}.log`}
          className={HEIGHT}
        />
      )}
    </div>
  )
}
