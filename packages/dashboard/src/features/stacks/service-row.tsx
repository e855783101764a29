import { type Application, type StackService, sizeWords } from '@berth/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button, ButtonLink } from '../../components/button.tsx'
import { toast } from '../../components/toast.tsx'
import { call } from '../../lib/api.ts'
import { percentWords, plural } from '../../lib/sizes.ts'
import { SERVICE_LOOK } from '../../lib/status.ts'
import { paths } from '../../paths.ts'
import { appKeys } from '../apps/queries.ts'

const VERBS = {
  start: { operation: 'stacks.startService', done: 'started' },
  stop: { operation: 'stacks.stopService', done: 'stopped' },
  restart: { operation: 'stacks.restartService', done: 'restarted' },
} as const

function useServiceAction(appId: number, service: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (verb: keyof typeof VERBS) => await call(VERBS[verb].operation, { appId, service }),
    onSuccess: async (_, verb) => {
      toast(`${service} ${VERBS[verb].done}.`)
      await client.invalidateQueries({ queryKey: appKeys.ofOne(appId) })
    },
    onError: (error) => toast(error.message, 'bad'),
  })
}

type Props = { app: Application; service: StackService; sizes: ReadonlyMap<string, number> }

export function ServiceRow({ app, service, sizes }: Props) {
  const { name, state, health, reason, replicas, runningReplicas } = service
  return (
    <li className="grid gap-2 px-4 py-3">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <div className="flex min-w-0 flex-wrap items-center gap-2">
          <h3 className="min-w-0 text-[15px] font-semibold [overflow-wrap:anywhere]">{name}</h3>
          <Badge look={SERVICE_LOOK[state]} />
          {replicas > 1 && (
            <span className="text-[13px] text-ink-soft">
              {runningReplicas} of {replicas} replicas
            </span>
          )}
          {health !== '' && state === 'running' && <span className="text-[13px] text-ink-soft">{health}</span>}
        </div>
        <ServiceActions app={app} service={service} />
      </div>
      {reason !== '' && <p className="text-sm text-bad [overflow-wrap:anywhere]">{reason}</p>}
      <dl className="grid gap-x-6 gap-y-1 text-[13px] sm:grid-cols-2">
        <ServiceFacts service={service} sizes={sizes} />
      </dl>
    </li>
  )
}

function ServiceActions({ app, service: { name, state, containerId } }: Pick<Props, 'app' | 'service'>) {
  const action = useServiceAction(app.id, name)
  const pending = (verb: keyof typeof VERBS) => action.isPending && action.variables === verb
  const isDown = state === 'stopped' || state === 'failed' || state === 'finished'
  return (
    <div className="flex flex-wrap gap-2">
      {containerId !== '' && (
        <ButtonLink to={paths.logs(app.id)} search={{ service: name }} icon="audit">
          Logs
        </ButtonLink>
      )}
      {isDown ? (
        <Button
          icon="play"
          pending={pending('start')}
          disabled={action.isPending}
          aria-label={`Start ${name}`}
          onClick={() => action.mutate('start')}
        >
          Start
        </Button>
      ) : (
        <>
          <Button
            icon="restart"
            pending={pending('restart')}
            disabled={action.isPending}
            aria-label={`Restart ${name}`}
            onClick={() => action.mutate('restart')}
          >
            Restart
          </Button>
          <Button
            icon="stop"
            pending={pending('stop')}
            disabled={action.isPending}
            aria-label={`Stop ${name}`}
            onClick={() => action.mutate('stop')}
          >
            Stop
          </Button>
        </>
      )}
    </div>
  )
}

function ServiceFacts({ service, sizes }: Pick<Props, 'service' | 'sizes'>) {
  const { image, isBuilt, cpu, memory, memoryLimit, restarts, status, domains, ports, volumes } = service
  const limit = memoryLimit === null ? '' : ` of ${sizeWords(memoryLimit)}`
  return (
    <>
      <Line name="Image">{isBuilt ? 'Built from the repository' : <code className="font-mono">{image}</code>}</Line>
      <Line name="State">
        {status}
        {restarts > 0 && `, ${plural(restarts, 'restart')}`}
      </Line>
      {cpu !== null && memory !== null && (
        <Line name="Usage">
          {percentWords(cpu)} CPU, {sizeWords(memory)}
          {limit}
        </Line>
      )}
      {domains.length > 0 && (
        <Line name="Domains">
          {domains.map((host) => (
            <a key={host} href={`https://${host}`} target="_blank" rel="noreferrer" className="mr-2 text-accent hover:underline">
              {host}
            </a>
          ))}
        </Line>
      )}
      {ports.length > 0 && (
        <Line name="Ports">
          {ports.map(({ address, host, container, protocol }) => `${address}:${host} → ${container}/${protocol}`).join(', ')}
        </Line>
      )}
      {volumes.map(({ name, path, readOnly }) => (
        <Line key={path} name="Volume">
          <code className="font-mono">{path}</code>
          {sizes.has(name) && `, ${sizeWords(sizes.get(name) ?? 0)}`}
          {readOnly && ', read-only'}
        </Line>
      ))}
    </>
  )
}

function Line({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex min-w-0 gap-2">
      <dt className="w-16 shrink-0 text-ink-soft">{name}</dt>
      <dd className="min-w-0 [overflow-wrap:anywhere]">{children}</dd>
    </div>
  )
}
