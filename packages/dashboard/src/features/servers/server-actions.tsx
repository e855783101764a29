import type { Availability, Server } from '@berth/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Menu, type MenuItem } from '../../components/menu.tsx'
import { toast } from '../../components/toast.tsx'
import { call } from '../../lib/api.ts'
import { LabelsDialog } from './labels-dialog.tsx'
import { servers } from './queries.ts'

const DONE = { active: 'is active.', pause: 'is paused.', drain: 'is being drained.' } as const satisfies Record<Availability, string>

export function ServerActions({ server, onRemove }: { server: Server; onRemove: (server: Server) => void }) {
  const client = useQueryClient()
  const [isLabelling, setLabelling] = useState(false)
  const refresh = async (): Promise<void> => await client.invalidateQueries({ queryKey: servers.queryKey })
  const onError = ({ message }: Error): void => toast(message, 'bad')
  const check = useMutation({
    mutationFn: () => call('servers.check', { serverId: server.id }),
    onSuccess: async ({ name }) => {
      await refresh()
      toast(`${name} was checked.`)
    },
    onError,
  })
  const change = useMutation({
    mutationFn: (availability: Availability) => call('servers.update', { serverId: server.id, availability }),
    onSuccess: async ({ name, availability }) => {
      await refresh()
      toast(`${name} ${DONE[availability]}`)
    },
    onError,
  })
  const switchEdge = useMutation({
    mutationFn: (edge: boolean) => call('servers.update', { serverId: server.id, edge }),
    onSuccess: async ({ name, edge: { state } }) => {
      await refresh()
      toast(state === 'off' ? `The edge of ${name} is off.` : `The edge of ${name} is being started.`)
    },
    onError,
  })
  const ofEdge: MenuItem =
    server.edge.state === 'off'
      ? { label: 'Switch edge on', icon: 'globe', onPick: () => switchEdge.mutate(true), hint: 'Visitors can come in here' }
      : { label: 'Switch edge off', icon: 'globe', onPick: () => switchEdge.mutate(false), hint: 'First take it out of your DNS' }
  const toSet = (availability: Availability, item: Pick<MenuItem, 'label' | 'icon' | 'hint'>): MenuItem[] =>
    server.availability === availability ? [] : [{ ...item, onPick: () => change.mutate(availability), disabled: change.isPending }]
  const ofOthers: MenuItem[] = server.isThis
    ? []
    : [
        { label: check.isPending ? 'Checking…' : 'Check', icon: 'check', onPick: () => check.mutate(), disabled: check.isPending },
        ...toSet('active', { label: 'Activate', icon: 'play', hint: 'Containers can start here again' }),
        ...toSet('pause', { label: 'Pause', icon: 'pause', hint: 'No new containers start here' }),
        ...toSet('drain', { label: 'Drain', icon: 'end', hint: 'Move its containers to other servers' }),
        { ...ofEdge, disabled: switchEdge.isPending },
      ]
  const toRemove: MenuItem[] = server.isThis ? [] : [{ label: 'Remove…', icon: 'trash', isDanger: true, onPick: () => onRemove(server) }]
  return (
    <>
      <Menu
        label={`Actions for ${server.name}`}
        items={[...ofOthers, { label: 'Labels…', icon: 'edit', onPick: () => setLabelling(true) }, ...toRemove]}
      />
      {isLabelling && <LabelsDialog server={server} onClose={() => setLabelling(false)} />}
    </>
  )
}
