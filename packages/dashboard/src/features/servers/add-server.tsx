import type { ServerInvitation, Servers } from '@berth/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { CopyText } from '../../components/copy-text.tsx'
import { Dialog, DoneButton } from '../../components/dialog.tsx'
import { CheckField, TextField } from '../../components/field.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { call } from '../../lib/api.ts'
import { classNames } from '../../lib/class-names.ts'
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
      wide={!found.isSwarm}
      disabled={!found.isSwarm && !(isAgreed && address.trim() !== '')}
      pending={add.isPending}
      failure={add.error?.message}
      onConfirm={() => add.mutate()}
      onClose={onClose}
    >
      <p>The new server needs Linux and Docker. You get one command to run there.</p>
      <div className={classNames('grid gap-x-6 gap-y-4', changes.length > 0 && 'md:grid-cols-2')}>
        {changes.length > 0 && (
          <Section title="What changes on this server">
            <ul className="list-disc space-y-1.5 pl-5">
              {changes.map((line) => (
                <li key={line}>{line}</li>
              ))}
            </ul>
          </Section>
        )}
        <Ports ports={ports} />
      </div>
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

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="rounded-md border border-line p-3">
      <h3 className="mb-1.5 font-medium text-ink">{title}</h3>
      {children}
    </section>
  )
}

/** Each is a line such as "4789/udp: traffic between containers". */
function Ports({ ports }: { ports: readonly string[] }) {
  return (
    <Section title="Ports to allow between your servers">
      <dl className="grid gap-2.5">
        {ports.map((line) => {
          const [port = '', use = ''] = line.split(': ')
          return (
            <div key={line}>
              <dt className="font-mono text-[13px] text-ink">{port}</dt>
              <dd className="first-letter:uppercase">{use}</dd>
            </div>
          )
        })}
      </dl>
    </Section>
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
      <Ports ports={ports} />
      <DoneButton onClose={onClose} />
    </div>
  )
}
