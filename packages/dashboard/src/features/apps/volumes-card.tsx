import { type Application, type AppVolume, sizeWords } from '@berth/contract'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button, IconButton } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { Notice } from '../../components/notice.tsx'
import { EmptyState } from '../../components/states.tsx'
import { storage } from './queries.ts'
import { useAppRights } from './rights.ts'
import { DeleteVolume, RemoveVolume, VolumeForm } from './volume-dialogs.tsx'

type Doing = { is: 'add'; volume?: AppVolume } | { is: 'edit' | 'remove'; volume: AppVolume } | { is: 'delete'; name: string }

/** The volumes in the app's settings, and those that are still there although they are not. */
export function VolumesCard({ app }: { app: Application }) {
  const [doing, setDoing] = useState<Doing>()
  const { mayEdit, maySteward, whyNotEdit } = useAppRights(app)
  const stored = useQuery(storage(app.id))
  const bytesOf = new Map(stored.data?.volumes.map(({ volume, bytes }) => [volume, bytes]))
  const unused = [...bytesOf.keys()].filter((name) => name !== '' && app.volumes.every((volume) => volume.name !== name))
  const all = app.volumes.length + unused.length
  return (
    <Card
      flush
      title="Volumes"
      note="Directories that keep their data across deployments, rollbacks and restarts."
      actions={
        <Button icon="plus" disabled={!mayEdit} onClick={() => setDoing({ is: 'add' })}>
          Add volume
        </Button>
      }
    >
      <Notes app={app} whyNotEdit={mayEdit ? undefined : whyNotEdit} failure={all > 0 ? stored.error?.message : undefined} />
      {all === 0 ? (
        <EmptyState icon="database" title="No volumes yet">
          Without one, files your app writes are lost on the next deployment.
        </EmptyState>
      ) : (
        <ul className="divide-y divide-line">
          {app.volumes.map((volume) => (
            <Row
              key={volume.name}
              name={volume.name}
              path={volume.path}
              isShared={volume.shareable}
              size={sizeOf(bytesOf.get(volume.name), stored.status)}
            >
              <IconButton icon="edit" label={`Edit ${volume.name}`} disabled={!mayEdit} onClick={() => setDoing({ is: 'edit', volume })} />
              <IconButton
                icon="trash"
                label={`Remove ${volume.name}`}
                disabled={!mayEdit}
                onClick={() => setDoing({ is: 'remove', volume })}
              />
            </Row>
          ))}
          {unused.map((name) => (
            <Row key={name} name={name} path="" size={sizeOf(bytesOf.get(name), stored.status)}>
              <UnusedActions name={name} mayMount={mayEdit} mayDelete={maySteward} onDo={setDoing} />
            </Row>
          ))}
        </ul>
      )}
      {doing && <VolumeDialog app={app} doing={doing} onClose={() => setDoing(undefined)} />}
    </Card>
  )
}

type UnusedProps = { name: string; mayMount: boolean; mayDelete: boolean; onDo: (doing: Doing) => void }

function UnusedActions({ name, mayMount, mayDelete, onDo }: UnusedProps) {
  const mount = () => onDo({ is: 'add', volume: { name, path: '', shareable: false } })
  return (
    <>
      <Button disabled={!mayMount} aria-label={`Mount ${name}`} onClick={mount}>
        Mount
      </Button>
      <Button disabled={!mayDelete} aria-label={`Delete ${name}`} onClick={() => onDo({ is: 'delete', name })}>
        Delete…
      </Button>
    </>
  )
}

function VolumeDialog({ app, doing, onClose }: { app: Application; doing: Doing; onClose: () => void }) {
  if (doing.is === 'delete') return <DeleteVolume app={app} name={doing.name} onClose={onClose} />
  if (doing.is === 'remove') return <RemoveVolume app={app} volume={doing.volume} onClose={onClose} />
  return <VolumeForm app={app} {...(doing.volume && { volume: doing.volume })} isNew={doing.is === 'add'} onClose={onClose} />
}

const WITHOUT_SIZE = { pending: 'Loading size…', error: 'Size unknown', success: 'Not created yet' } as const

function sizeOf(bytes: number | undefined, asked: keyof typeof WITHOUT_SIZE): string {
  return bytes === undefined ? WITHOUT_SIZE[asked] : sizeWords(bytes)
}

function Notes({ app, whyNotEdit, failure }: { app: Application; whyNotEdit: string | undefined; failure: string | undefined }) {
  const isSingle = app.volumes.some(({ shareable }) => !shareable)
  if (whyNotEdit === undefined && failure === undefined && !isSingle) return null
  return (
    <div className="grid gap-3 border-b border-line p-4">
      {whyNotEdit !== undefined && <Notice tone="plain">{whyNotEdit}</Notice>}
      {failure !== undefined && <p className="text-[13px] text-ink-soft">Could not get the sizes: {failure}</p>}
      {isSingle && (
        <p className="text-[13px] text-ink-soft">
          Only one release at a time can use these volumes, so a deployment stops the running release before it starts the new one.
        </p>
      )}
    </div>
  )
}

type RowProps = { name: string; path: string; isShared?: boolean; size: string; children: React.ReactNode }

function Row({ name, path, isShared = false, size, children }: RowProps) {
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3 px-4 py-3 text-sm sm:grid-cols-[minmax(0,14rem)_minmax(0,1fr)_8rem_11rem]">
      <span className="flex min-w-0 items-center gap-2">
        <span className="truncate font-medium" title={name}>
          {name}
        </span>
        {isShared && <Badge look={{ label: 'Shareable', tone: 'idle' }} />}
      </span>
      <span className="col-span-2 row-start-2 min-w-0 text-[13px] break-all text-ink-soft sm:col-span-1 sm:row-start-auto">
        {path === '' ? 'Not mounted' : <code className="font-mono">{path}</code>}
      </span>
      <span className="col-span-2 row-start-3 text-[13px] text-ink-soft sm:col-span-1 sm:row-start-auto">{size}</span>
      <span className="-my-2 flex items-center justify-end gap-1">{children}</span>
    </li>
  )
}
