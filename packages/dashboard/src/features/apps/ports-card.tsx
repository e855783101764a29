import { type Application, type AppPort, LOOPBACK, LOWEST_HOST_PORT } from '@berth/contract'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { SelectField, TextField } from '../../components/field.tsx'
import { Notice } from '../../components/notice.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { toast } from '../../components/toast.tsx'
import { call } from '../../lib/api.ts'
import { PORT_LOOK } from '../../lib/status.ts'
import { ports, stackKeys } from '../stacks/queries.ts'

type Props = { app: Application; disabled: boolean }

/** Ports of the server that lead to services of a compose app, past the proxy. */
export function PortsCard({ app, disabled }: Props) {
  const [adding, setAdding] = useState(false)
  return (
    <Card
      title="Ports"
      note="Ports of the server that lead straight to a service. None is opened unless you open it here."
      actions={
        !adding && (
          <Button icon="plus" disabled={disabled} onClick={() => setAdding(true)}>
            Open a port
          </Button>
        )
      }
      flush
    >
      {adding && (
        <div className="border-b border-line p-4">
          <PortForm app={app} start={{ service: '', port: '', hostPort: '', protocol: 'tcp' }} onDone={() => setAdding(false)} />
        </div>
      )}
      <QueryView query={useQuery(ports(app.id))}>
        {(found) => (
          <>
            {found.some(({ isOn, isOpen }) => isOn !== isOpen) && (
              <div className="p-4 pb-0">
                {found.some(({ isOn, isOpen }) => isOn || isOpen) && (
                  <Notice tone="plain">Changes take effect with the next deployment.</Notice>
                )}
              </div>
            )}
            {found.length === 0 ? (
              <p className="px-4 py-3 text-sm text-ink-soft">The Compose file publishes no other ports.</p>
            ) : (
              <ul className="divide-y divide-line">
                {found.map((port) => (
                  <PortRow
                    key={`${port.service} ${port.port}/${port.protocol} ${port.hostPort} ${port.address}`}
                    app={app}
                    port={port}
                    disabled={disabled}
                  />
                ))}
              </ul>
            )}
          </>
        )}
      </QueryView>
    </Card>
  )
}

function useSetPorts(appId: number) {
  const client = useQueryClient()
  return (found: AppPort[]) => client.setQueryData(stackKeys.ports(appId), found)
}

function PortRow({ app, port: one, disabled }: Props & { port: AppPort }) {
  const [opening, setOpening] = useState(false)
  const setPorts = useSetPorts(app.id)
  const { service, port, protocol, hostPort, address, isOn, isOpen } = one
  const close = useMutation({
    mutationFn: () => call('stacks.closePort', { appId: app.id, service, port, protocol }),
    onSuccess: setPorts,
    onError: (error) => toast(error.message, 'bad'),
  })
  const state = isOpen ? (isOn ? 'open' : 'closing') : isOn ? 'opening' : 'closed'
  return (
    <li className="grid gap-3 px-4 py-3 text-sm">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <div className="min-w-0 [overflow-wrap:anywhere]">
          <p className="font-medium">
            {service}, port {port}/{protocol}
          </p>
          {state !== 'closed' && (
            <p className="font-mono text-[13px] text-ink-soft">
              {address}:{hostPort}
            </p>
          )}
        </div>
        <div className="flex items-center gap-3">
          <Badge look={PORT_LOOK[state]} />
          {isOn ? (
            <Button disabled={disabled} pending={close.isPending} aria-label={`Close port ${hostPort}`} onClick={() => close.mutate()}>
              Close
            </Button>
          ) : (
            !opening && (
              <Button disabled={disabled} aria-label={`Open port ${port} of ${service}`} onClick={() => setOpening(true)}>
                Open
              </Button>
            )
          )}
        </div>
      </div>
      {opening && !isOn && (
        <PortForm
          app={app}
          start={{ service, port: String(port), hostPort: String(hostPort), protocol }}
          onDone={() => setOpening(false)}
        />
      )}
    </li>
  )
}

const EVERYWHERE = '0.0.0.0'
const ADDRESSES = [
  { value: LOOPBACK, label: 'Only this server (127.0.0.1)' },
  { value: EVERYWHERE, label: 'Everyone (0.0.0.0)' },
  { value: 'other', label: 'One address of this server' },
] as const
const PROTOCOLS = [
  { value: 'tcp', label: 'TCP' },
  { value: 'udp', label: 'UDP' },
] as const

type Start = { service: string; port: string; hostPort: string; protocol: 'tcp' | 'udp' }

function PortForm({ app, start, onDone }: { app: Application; start: Start; onDone: () => void }) {
  const [values, setValues] = useState(start)
  const [reach, setReach] = useState<(typeof ADDRESSES)[number]['value']>(LOOPBACK)
  const [address, setAddress] = useState('')
  const setPorts = useSetPorts(app.id)
  const open = useMutation({
    mutationFn: () =>
      call('stacks.openPort', {
        appId: app.id,
        service: values.service.trim(),
        port: Number(values.port),
        protocol: values.protocol,
        hostPort: Number(values.hostPort),
        address: reach === 'other' ? address.trim() : reach,
      }),
    onSuccess: (found) => {
      setPorts(found)
      onDone()
    },
  })
  const field = (key: 'service' | 'port' | 'hostPort') => ({
    value: values[key],
    onText: (text: string) => setValues((before) => ({ ...before, [key]: text })),
  })
  const isNew = start.service === ''
  return (
    <div className="grid gap-4">
      <div className="grid gap-4 sm:grid-cols-2">
        {isNew && <TextField label="Service" mono placeholder="db" {...field('service')} />}
        {isNew && <TextField label="Service port" inputMode="numeric" placeholder="5432" {...field('port')} />}
        {isNew && (
          <SelectField
            label="Protocol"
            options={PROTOCOLS}
            value={values.protocol}
            onPick={(protocol) => setValues((before) => ({ ...before, protocol }))}
          />
        )}
        <TextField label="Server port" inputMode="numeric" hint={`${LOWEST_HOST_PORT} or above.`} {...field('hostPort')} />
        <SelectField label="Reachable from" options={ADDRESSES} value={reach} onPick={setReach} />
        {reach === 'other' && <TextField label="Address" mono placeholder="10.0.0.5" value={address} onText={setAddress} />}
      </div>
      {open.error && <Notice tone="bad">{open.error.message}</Notice>}
      <div className="flex gap-2">
        <Button kind="primary" pending={open.isPending} onClick={() => open.mutate()}>
          Open
        </Button>
        <Button onClick={onDone}>Cancel</Button>
      </div>
    </div>
  )
}
