import type { Registry } from '@berth/contract'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { EmptyState } from '../../components/states.tsx'
import { ACCOUNT_LOOK } from '../../lib/git-words.ts'
import { registries } from './queries.ts'
import { RegistryActions } from './registry-actions.tsx'
import { SaveRegistry } from './save-registry.tsx'

type Props = {
  note: string
  /** Which of those that the user sees belong here. */
  belongs: (registry: Registry) => boolean
  projectId: number | null
}

/** The registries of a person or of a project. */
export function RegistriesCard({ note, belongs, projectId }: Props) {
  const query = useQuery(registries)
  const [adding, setAdding] = useState(false)
  const list = query.data?.filter(belongs)
  const add = (
    <Button kind="primary" icon="plus" onClick={() => setAdding(true)}>
      Add registry
    </Button>
  )
  const empty = (
    <EmptyState icon="app" title="No registry yet" action={add}>
      Add the user name and password of a registry to run private images. Public images need none.
    </EmptyState>
  )
  return (
    <>
      <Card title="Registries" note={note} flush actions={list !== undefined && list.length > 0 && add}>
        <QueryView query={{ ...query, data: list }} empty={empty}>
          {(found) => (
            <ul className="divide-y divide-line">
              {found.map((registry) => (
                <li key={registry.id} className="flex flex-wrap items-start gap-x-3 gap-y-2 px-4 py-3 text-sm">
                  <div className="grid min-w-0 flex-1 basis-52 gap-0.5">
                    <div className="flex min-w-0 flex-wrap items-center gap-x-2.5 gap-y-1">
                      <span className="min-w-0 truncate font-semibold" title={registry.host}>
                        {registry.host}
                      </span>
                      <Badge look={ACCOUNT_LOOK[registry.status]} />
                    </div>
                    <p className="[overflow-wrap:anywhere] text-ink-soft">{registry.username}</p>
                    {registry.error !== '' && <p className="[overflow-wrap:anywhere] text-bad">{registry.error}</p>}
                  </div>
                  <div className="flex flex-wrap gap-2 empty:hidden max-sm:w-full">
                    <RegistryActions registry={registry} />
                  </div>
                </li>
              ))}
            </ul>
          )}
        </QueryView>
      </Card>
      {adding && <SaveRegistry projectId={projectId} onClose={() => setAdding(false)} />}
    </>
  )
}
