import { useState } from 'react'
import { Dialog } from '../../components/dialog.tsx'
import { TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { checkInput } from '../../lib/check-input.ts'
import { useDeploy } from '../../shared/use-deploy.ts'

/** Deploys any commit of the repository, in no list or not. */
export function DeployCommit({ appId, onClose }: { appId: number; onClose: () => void }) {
  const [text, setText] = useState('')
  const [isTried, setTried] = useState(false)
  const deploy = useDeploy()
  const commit = text.trim().toLowerCase()
  const isWrong = checkInput('deployments.add', { appId, commit }).length > 0
  function submit(event: { preventDefault: () => void }): void {
    event.preventDefault()
    setTried(true)
    if (!isWrong) deploy.mutate({ appId, commit }, { onSuccess: onClose })
  }
  return (
    <Dialog title="Deploy a commit" onClose={onClose}>
      <Form
        form={{ submit, pending: deploy.isPending, failure: deploy.error?.message }}
        submit="Deploy"
        icon="rocket"
        disabled={commit === ''}
        onCancel={onClose}
      >
        <TextField
          label="Commit"
          mono
          autoComplete="off"
          spellCheck={false}
          placeholder="0123456789abcdef0123456789abcdef01234567"
          value={text}
          onText={setText}
          problem={isTried && isWrong ? 'Must be the hash of a commit.' : undefined}
          hint="All 40 digits of its hash. The first 7 are enough for a commit that was deployed before."
        />
      </Form>
    </Dialog>
  )
}
