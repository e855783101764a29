import type { Application, DeployHook } from '@berth/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { CopyText } from '../../components/copy-text.tsx'
import { Notice } from '../../components/notice.tsx'
import { toast } from '../../components/toast.tsx'
import { call } from '../../lib/api.ts'
import { appKeys } from './queries.ts'

/** A secret address that deploys the app, for CI. The secret is shown once. */
export function DeployHookCard({ app }: { app: Application }) {
  const client = useQueryClient()
  const [made, setMade] = useState<DeployHook>()
  const [asking, setAsking] = useState<'nothing' | 'rotate' | 'remove'>('nothing')
  const done = async (): Promise<void> => {
    setAsking('nothing')
    await client.invalidateQueries({ queryKey: appKeys.one(app.id) })
  }
  const rotate = useMutation({
    mutationFn: () => call('apps.rotateHook', { appId: app.id }),
    onSuccess: async (hook) => {
      setMade(hook)
      await done()
    },
    onError: (error) => toast(error.message, 'bad'),
  })
  const remove = useMutation({
    mutationFn: () => call('apps.deleteHook', { appId: app.id }),
    onSuccess: async () => {
      setMade(undefined)
      await done()
      toast('Deploy hook removed.')
    },
  })
  return (
    <Card
      title="Deploy hook"
      note="Deploys the app with one request, for example from CI."
      actions={
        app.deploy_hook ? (
          <>
            <Button onClick={() => setAsking('rotate')}>New secret…</Button>
            <IconButton icon="trash" label="Remove the deploy hook" onClick={() => setAsking('remove')} />
          </>
        ) : (
          <Button icon="plus" pending={rotate.isPending} onClick={() => rotate.mutate()}>
            Create
          </Button>
        )
      }
    >
      {made ? <Shown hook={made} /> : <p className="text-sm text-ink-soft">{app.deploy_hook ? HIDDEN : NONE}</p>}
      {asking === 'rotate' && (
        <ConfirmDialog
          title="Make a new secret?"
          action="Make a new secret"
          kind="primary"
          pending={rotate.isPending}
          failure={rotate.error?.message}
          onConfirm={() => rotate.mutate()}
          onClose={() => setAsking('nothing')}
        >
          <p>The old secret stops working at once.</p>
        </ConfirmDialog>
      )}
      {asking === 'remove' && (
        <ConfirmDialog
          title="Remove the deploy hook?"
          action="Remove"
          pending={remove.isPending}
          failure={remove.error?.message}
          onConfirm={() => remove.mutate()}
          onClose={() => setAsking('nothing')}
        >
          <p>Whatever uses it can no longer deploy this app.</p>
        </ConfirmDialog>
      )}
    </Card>
  )
}

const HIDDEN = 'The hook is active. Its secret is not shown again; make a new one if it is lost.'
const NONE = 'No deploy hook yet.'

function Shown({ hook: { url, secret } }: { hook: DeployHook }) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <Notice tone="warn">Copy the secret now. It is not shown again.</Notice>
      <CopyText label="Address" text={url} />
      <CopyText label="Secret" text={secret} />
      <CopyText label="Command" text={`curl -X POST -H "Authorization: Bearer ${secret}" ${url}`} />
    </div>
  )
}
