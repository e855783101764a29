import type { Application, DeployHook } from '@berth/contract'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { CopyText } from '../../components/copy-text.tsx'
import { Notice } from '../../components/notice.tsx'
import { toast } from '../../components/toast.tsx'
import { call } from '../../lib/api.ts'
import { project } from '../projects/queries.ts'
import { appKeys } from './queries.ts'

/** A secret address that deploys the app, for CI. The secret is shown once. */
export function DeployHookCard({ app }: { app: Application }) {
  const { made, asking, setAsking, rotate, remove } = useDeployHook(app)
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
      {made ? <Shown hook={made} /> : app.deploy_hook ? <Hidden app={app} /> : <p className="text-sm text-ink-soft">No deploy hook yet.</p>}
      {asking === 'rotate' && (
        <ConfirmDialog
          title="Create a new secret?"
          action="Create a new secret"
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
          <p>Anything that uses it can no longer deploy this app.</p>
        </ConfirmDialog>
      )}
    </Card>
  )
}

/** Creates a secret for the app, or removes it; both are confirmed first if there is one. */
function useDeployHook(app: Application) {
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
  return { made, asking, setAsking, rotate, remove }
}

/** A hook works as long as whoever made its secret may deploy the app. Admins may without being members. */
function Hidden({ app }: { app: Application }) {
  const { data: home } = useQuery(project(app.project_id))
  const maker = home?.members.find(({ id }) => id === app.deploy_hook_by)
  if (app.deploy_hook_by === null)
    return (
      <p className="text-sm text-ink-soft">The hook no longer works, because the user who created it was deleted. Create a new secret.</p>
    )
  return (
    <div className="grid gap-1 text-sm text-ink-soft">
      <p>The hook is active. Its secret is not shown again; create a new one if you lose it.</p>
      {home && (
        <p>
          {maker
            ? `Created by ${maker.email}. It stops working when they leave the project.`
            : 'Created by someone who is not a member of this project. It only works if they are an admin.'}
        </p>
      )}
    </div>
  )
}

function Shown({ hook }: { hook: DeployHook }) {
  const { secret } = hook
  const url = new URL(hook.url, window.location.origin).href // without an address of its own, the server only knows the path
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <Notice tone="warn">Copy the secret now. It is not shown again.</Notice>
      <CopyText label="Address" text={url} />
      <CopyText label="Secret" text={secret} />
      <CopyText label="Command" text={`curl -X POST -H "Authorization: Bearer ${secret}" ${url}`} />
    </div>
  )
}
