import type { Application } from '@berth/contract'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { SelectField } from '../../components/field.tsx'
import { Notice } from '../../components/notice.tsx'
import { toast } from '../../components/toast.tsx'
import { call } from '../../lib/api.ts'
import { servers } from '../servers/queries.ts'
import { isAdmin, useMe } from '../session/queries.ts'
import { appKeys } from './queries.ts'

const HERE = 'the server that Berth runs on'
type Place = { id: string; name: string }

function placeWords({ id, name }: Place): string {
  return id === 'this' ? HERE : `the server ${name === '' ? id : name}`
}

/** Where the data of an app is, and moving it. Only with several servers, or with data on another one. Members may not list servers. */
export function DataServerCard({ app, disabled }: { app: Application; disabled: boolean }) {
  const mayList = isAdmin(useMe())
  const { data } = useQuery({ ...servers, enabled: mayList, refetchInterval: false })
  const where = app.data_server
  if (where === undefined || (where.id === 'this' && data?.isSwarm !== true)) return null
  const places = (data?.servers ?? []).map(({ id, name, isThis }) => ({ id: isThis ? 'this' : id, name }))
  return (
    <Card title="Server" note={`The data of this app is on ${placeWords(where)}. The app runs there and nowhere else.`}>
      <div className="grid gap-3">
        {where.moving_to && <Moving app={app} to={where.moving_to} mayStop={!disabled || mayList} />}
        {where.move_problem !== '' && <Notice tone="bad">{where.move_problem}</Notice>}
        {where.moving_to === undefined && !disabled && <Move app={app} places={places.filter(({ id }) => id !== where.id)} />}
      </div>
    </Card>
  )
}

function Moving({ app, to, mayStop }: { app: Application; to: Place; mayStop: boolean }) {
  const client = useQueryClient()
  const stop = useMutation({
    mutationFn: () => call('apps.stopMove', { appId: app.id }),
    onSuccess: (answer) => client.setQueryData(appKeys.one(app.id), answer),
    onError: ({ message }) => toast(message, 'bad'),
    onSettled: async () => await client.invalidateQueries({ queryKey: appKeys.all }),
  })
  const button = (
    <Button pending={stop.isPending} disabled={stop.isSuccess} onClick={() => stop.mutate()}>
      {stop.isSuccess ? 'Stopping…' : 'Stop move'}
    </Button>
  )
  return (
    <Notice tone="warn" actions={mayStop && button}>
      It is being moved to {placeWords(to)}. The app is stopped meanwhile.
    </Notice>
  )
}

function Move({ app, places }: { app: Application; places: readonly Place[] }) {
  const client = useQueryClient()
  const [server, setServer] = useState('')
  const [isAsking, setAsking] = useState(false)
  const move = useMutation({
    mutationFn: () => call('apps.move', { appId: app.id, server }),
    onSuccess: async (answer) => {
      client.setQueryData(appKeys.one(app.id), answer)
      setAsking(false)
      setServer('')
      await client.invalidateQueries({ queryKey: appKeys.all })
      toast(`${app.name} is being moved.`)
    },
  })
  if (places.length === 0) return <p className="text-ink-soft">An admin can move it, if there is another server.</p>
  const chosen = places.find(({ id }) => id === server)
  const options = [
    { value: '', label: 'Select a server' },
    ...places.map(({ id, name }) => ({ value: id, label: id === 'this' ? `${name} (Berth runs on it)` : name })),
  ]
  return (
    <div className="flex items-end gap-2">
      <div className="min-w-0 flex-1">
        <SelectField label="Move to" value={server} options={options} onPick={setServer} />
      </div>
      <Button disabled={chosen === undefined} onClick={() => setAsking(true)}>
        Move…
      </Button>
      {isAsking && chosen && (
        <ConfirmDialog
          title={`Move ${app.name} to ${placeWords(chosen)}?`}
          action="Move"
          typed={app.name}
          pending={move.isPending}
          failure={move.error?.message}
          onConfirm={() => move.mutate()}
          onClose={() => setAsking(false)}
        >
          The app is stopped while its data is copied and compared. Then it starts there, and the old copy is removed. If something goes
          wrong, it starts again where it was.
        </ConfirmDialog>
      )}
    </div>
  )
}
