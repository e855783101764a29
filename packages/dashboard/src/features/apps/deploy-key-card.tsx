import type { Application } from '@berth/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { CopyText } from '../../components/copy-text.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { toast } from '../../components/toast.tsx'
import { call } from '../../lib/api.ts'
import { appKeys } from './queries.ts'

type Change = 'create' | 'remove' | 'forget'

const OPERATION = { create: 'apps.createDeployKey', remove: 'apps.deleteDeployKey', forget: 'apps.forgetHostKey' } as const

const QUESTION = {
  create: {
    title: 'Replace the deploy key?',
    action: 'Replace',
    text: 'The old key stops working at once. Add the new one at the Git host before the next deployment.',
  },
  remove: {
    title: 'Remove the deploy key?',
    action: 'Remove',
    text: 'The app can then only be deployed from a repository that needs no key.',
  },
  forget: {
    title: 'Forget the host key?',
    action: 'Forget',
    text: 'The next deployment trusts the key the host has then. Only do this if you know that the host changed its key.',
  },
} as const satisfies Record<Change, { title: string; action: string; text: string }>

/** The key with which an app is cloned over ssh from any host. Its private half never leaves the server. */
export function DeployKeyCard({ app, disabled }: { app: Application; disabled: boolean }) {
  const client = useQueryClient()
  const [asking, setAsking] = useState<Change>()
  const change = useMutation({
    mutationFn: (what: Change): Promise<unknown> => call(OPERATION[what], { appId: app.id }),
    onSuccess: async () => {
      setAsking(undefined)
      await client.invalidateQueries({ queryKey: appKeys.one(app.id) })
    },
    onError: (error) => toast(error.message, 'bad'),
  })
  return (
    <Card
      title="Deploy key"
      note="Clones a private repository over ssh, from any host."
      actions={
        !disabled &&
        (app.deploy_key === '' ? (
          <Button icon="plus" pending={change.isPending} onClick={() => change.mutate('create')}>
            Create
          </Button>
        ) : (
          <>
            <Button onClick={() => setAsking('create')}>Replace…</Button>
            <IconButton icon="trash" label="Remove the deploy key" onClick={() => setAsking('remove')} />
          </>
        ))
      }
    >
      <Keys app={app} onForget={disabled ? undefined : () => setAsking('forget')} />
      {asking && (
        <ConfirmDialog
          title={QUESTION[asking].title}
          action={QUESTION[asking].action}
          pending={change.isPending}
          failure={change.error?.message}
          onConfirm={() => change.mutate(asking)}
          onClose={() => setAsking(undefined)}
        >
          <p>{QUESTION[asking].text}</p>
        </ConfirmDialog>
      )}
    </Card>
  )
}

function Keys({ app, onForget }: { app: Application; onForget: (() => void) | undefined }) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3 text-sm">
      {app.deploy_key === '' ? (
        <p className="text-ink-soft">
          No deploy key yet. It is used for clone URLs such as <code className="font-mono text-[13px]">git@host:owner/repository.git</code>
        </p>
      ) : (
        <>
          <p className="text-ink-soft">Add this public key to the repository at its host. Read access is enough.</p>
          <CopyText label="Public key" text={app.deploy_key} />
        </>
      )}
      {app.host_key !== '' && (
        <Facts>
          <Fact name="Trusted host">
            <code className="font-mono text-[13px]">{app.host_key}</code>
            {onForget && (
              <button type="button" onClick={onForget} className="ml-2 text-accent underline">
                Forget…
              </button>
            )}
          </Fact>
        </Facts>
      )}
    </div>
  )
}
