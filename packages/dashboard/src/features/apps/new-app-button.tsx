import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Button, ButtonLink } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { SelectField } from '../../components/field.tsx'
import { paths } from '../../paths.ts'
import { projects } from '../projects/queries.ts'

/** An app belongs to a project, which is asked for where there is more than one. */
export function NewAppButton() {
  const [isOpen, setOpen] = useState(false)
  const { data: all = [] } = useQuery(projects)
  const [first, second] = all
  if (!first) return null
  if (!second)
    return (
      <ButtonLink kind="primary" icon="plus" to={paths.newApp(first.id)}>
        New app
      </ButtonLink>
    )
  return (
    <>
      <Button kind="primary" icon="plus" onClick={() => setOpen(true)}>
        New app
      </Button>
      {isOpen && <PickProject all={all} first={first.id} onClose={() => setOpen(false)} />}
    </>
  )
}

type PickProps = { all: readonly { id: number; name: string }[]; first: number; onClose: () => void }

function PickProject({ all, first, onClose }: PickProps) {
  const navigate = useNavigate()
  const [picked, setPicked] = useState(String(first))
  return (
    <Dialog title="New app" onClose={onClose}>
      <div className="grid gap-4">
        <SelectField
          label="Project"
          hint="Apps in the same project can reach each other."
          value={picked}
          options={all.map(({ id, name }) => ({ value: String(id), label: name }))}
          onPick={setPicked}
        />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" onClick={() => void navigate({ to: paths.newApp(Number(picked)) })}>
            Continue
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
