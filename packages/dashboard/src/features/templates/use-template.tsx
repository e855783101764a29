import type { Template } from '@berth/contract'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Button, ButtonLink } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { SelectField } from '../../components/field.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { paths } from '../../paths.ts'
import { projects } from '../projects/queries.ts'

/** Asks for the project, then opens its form for a new app with the template chosen. */
export function UseTemplate({ template, onClose }: { template: Template; onClose: () => void }) {
  const navigate = useNavigate()
  const [picked, setPicked] = useState('')
  return (
    <Dialog title={`Create ${template.title}`} onClose={onClose}>
      <QueryView
        query={useQuery(projects)}
        empty={
          <div className="grid justify-items-start gap-3 text-sm text-ink-soft">
            <p>A database belongs to a project. Create one first.</p>
            <ButtonLink to={paths.projects()}>Go to projects</ButtonLink>
          </div>
        }
      >
        {(list) => {
          const projectId = picked === '' ? (list[0]?.id ?? 0) : Number(picked)
          return (
            <div className="grid gap-4">
              <SelectField
                label="Project"
                hint="Apps in the same project can connect to it."
                value={String(projectId)}
                options={list.map(({ id, name }) => ({ value: String(id), label: name }))}
                onPick={setPicked}
              />
              <div className="flex justify-end gap-2">
                <Button onClick={onClose}>Cancel</Button>
                <Button kind="primary" onClick={() => void navigate({ to: paths.newApp(projectId), search: { template: template.name } })}>
                  Continue
                </Button>
              </div>
            </div>
          )
        }}
      </QueryView>
    </Dialog>
  )
}
