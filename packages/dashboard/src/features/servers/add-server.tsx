import type { ServerInvitation, Servers } from '@berth/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { CopyText } from '../../components/copy-text.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { CheckField, TextField } from '../../components/field.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { call } from '../../lib/api.ts'
import { servers } from './queries.ts'

/** Asks for consent if Swarm has to be switched on, then shows the command for the new server. */
export function AddServer({ found, onClose }: { found: Servers; onClose: () => void }) {
  const [invitation, setInvitation] = useState<ServerInvitation>()
  return invitation ? (
    <Dialog title="Run this on the new server" wide onClose={onClose}>
      <Command invitation={invitation} ports={found.adding.ports} onClose={onClose} />
    </Dialog>
  ) : (
    <Consent found={found} onDone={setInvitation} onClose={onClose} />
  )
}

function Consent({ found, onDone, onClose }: { found: Servers; onDone: (sent: ServerInvitation) => void; onClose: () => void }) {
  const { changes, ports, addresses } = found.adding
  const client = useQueryClient()
  const [isAgreed, setAgreed] = useState(false)
  const [address, setAddress] = useState(addresses.length === 1 ? (addresses[0] ?? '') : '')
  const add = useMutation({
    mutationFn: () => call('servers.add', found.isSwarm ? {} : { consent: isAgreed, address: address.trim() }),
    onSuccess: async (sent) => {
      onDone(sent)
      await client.invalidateQueries({ queryKey: servers.queryKey })
    },
  })
  return (
    <ConfirmDialog
      title="Add server"
      action={found.isSwarm ? 'Create command' : 'Switch Swarm on'}
      kind="primary"
      disabled={!found.isSwarm && !(isAgreed && address.trim() !== '')}
      pending={add.isPending}
      failure={add.error?.message}
      onConfirm={() => add.mutate()}
      onClose={onClose}
    >
      <p>The new server needs Linux and Docker. You get one command to run there.</p>
      {changes.length > 0 && <Lines title="The first server you add changes this one:" lines={changes} />}
      <Lines title="Your servers must reach each other on:" lines={ports} />
      {!found.isSwarm && (
        <>
          <TextField
            label="Address of this server that the others use"
            hint={
              addresses.length > 1 ? `This server has ${addresses.join(', ')}. Choose one of a private network if there is one.` : undefined
            }
            value={address}
            onText={setAddress}
          />
          <CheckField label="I agree to switch Docker on this server to Swarm mode." checked={isAgreed} onCheck={setAgreed} />
        </>
      )}
    </ConfirmDialog>
  )
}

function Lines({ title, lines }: { title: string; lines: readonly string[] }) {
  return (
    <div>
      <p className="font-medium text-ink">{title}</p>
      <ul className="mt-1 list-disc space-y-1 pl-5">
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </div>
  )
}

function Command({ invitation, ports, onClose }: { invitation: ServerInvitation; ports: readonly string[]; onClose: () => void }) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4 text-sm">
      <p>
        Run it as root. It works for one server and expires <RelativeTime at={invitation.openUntil} />. You will not see it again. The new
        server then appears on this page and is checked.
      </p>
      <CopyText label="Command" text={invitation.command} />
      <Lines title="Your servers must reach each other on:" lines={ports} />
      <div className="flex justify-end">
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </div>
  )
}
