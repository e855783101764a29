import type { Deployment } from '@berth/contract'
import { useState } from 'react'
import { Button } from '../components/button.tsx'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { RelativeTime } from '../components/relative-time.tsx'
import { CommitWords } from './commit-words.tsx'
import { useRollback } from './use-rollback.ts'

export function RollbackButton({ deployment }: { deployment: Deployment }) {
  const [open, setOpen] = useState(false)
  const rollback = useRollback(deployment.app_id)
  if (!deployment.can_roll_back) return null
  return (
    <>
      <Button icon="back" onClick={() => setOpen(true)}>
        Roll back<span className="sr-only"> to #{deployment.deployment_number}</span>
      </Button>
      {open && (
        <ConfirmDialog
          title={`Roll back to #${deployment.deployment_number}?`}
          action="Roll back"
          kind="primary"
          pending={rollback.isPending}
          failure={rollback.error?.message}
          onConfirm={() => rollback.mutate(deployment.id, { onSuccess: () => setOpen(false) })}
          onClose={() => setOpen(false)}
        >
          <p>
            The release of <RelativeTime at={deployment.created_at} /> goes live again, with the image and the environment it had. Nothing
            is built.
          </p>
          <p>
            <CommitWords deployment={deployment} />
          </p>
        </ConfirmDialog>
      )}
    </>
  )
}
