import { DEPLOYMENT_STATUSES, type Deployment, type DeploymentStatus } from '@berth/contract'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Button, ButtonLink } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { SelectField, TextField } from '../../components/field.tsx'
import { LoadOlder } from '../../components/load-older.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { EmptyState } from '../../components/states.tsx'
import { useIdParam, useSearchState } from '../../lib/route-state.ts'
import { DEPLOYMENT_LOOK } from '../../lib/status.ts'
import { useSettled } from '../../lib/use-settled.ts'
import { paths } from '../../paths.ts'
import { DeploymentRow } from '../../shared/deployment-row.tsx'
import { RollbackButton } from '../../shared/rollback-button.tsx'
import { useApp } from '../../shared/use-app.ts'
import { useHasSource } from '../../shared/use-has-source.ts'
import { deploymentPages } from './queries.ts'
import { RedeployButton } from './redeploy-button.tsx'

type Choice = { value: DeploymentStatus | ''; label: string }
const STATUSES: readonly Choice[] = [
  { value: '', label: 'All statuses' },
  ...DEPLOYMENT_STATUSES.map((status) => ({ value: status, label: DEPLOYMENT_LOOK[status].label })),
]

export function DeploymentsPage() {
  const appId = useIdParam('appId')
  const navigate = useNavigate()
  const [search, setSearch] = useSearchState('q')
  const [state, setState] = useSearchState('state')
  const status = DEPLOYMENT_STATUSES.find((each) => each === state) ?? ''
  const asked = useSettled(search.trim())
  const query = useInfiniteQuery(deploymentPages(appId, { status, search: asked }))
  const { picked, toggle } = usePicked()
  const [from, to] = [...picked].sort((a, b) => a - b)
  const list = query.data?.pages.flat()
  // By what was asked: the answer to a search that was just emptied is still on its way.
  const isNone = list?.length === 0 && asked + status === ''
  if (isNone) return <NoDeployments />
  return (
    <Card
      title="Deployments"
      flush
      note="Select two to compare."
      actions={
        <Button disabled={picked.length !== 2} onClick={() => void navigate({ to: paths.compare(appId), search: { from, to } })}>
          Compare
        </Button>
      }
    >
      <div className="grid gap-2 border-b border-line p-3 sm:grid-cols-[minmax(0,1fr)_11rem]">
        <TextField label="Search" hideLabel type="search" placeholder="Search commits" value={search} onText={setSearch} />
        <SelectField label="Status" hideLabel value={status} options={STATUSES} onPick={setState} />
      </div>
      <QueryView query={{ ...query, data: list }} empty={<EmptyState icon="search" title="No results" />}>
        {(found) => <Rows list={found} picked={picked} onToggle={toggle} />}
      </QueryView>
      <LoadOlder query={query} />
    </Card>
  )
}

/** A third selection replaces the older of the two. */
function usePicked() {
  const [picked, setPicked] = useState<readonly number[]>([])
  const toggle = (id: number): void => setPicked(picked.includes(id) ? picked.filter((each) => each !== id) : [...picked.slice(-1), id])
  return { picked, toggle }
}

/** There is nothing to search or to compare. */
function NoDeployments() {
  const app = useApp()
  const hasSource = useHasSource(app)
  return (
    <Card title="Deployments">
      <EmptyState
        icon="rocket"
        title="No deployments yet"
        action={
          !hasSource && (
            <ButtonLink kind="primary" to={paths.appSettings(app.id)}>
              Add a source
            </ButtonLink>
          )
        }
      >
        {hasSource ? 'Deploy the app to create the first one.' : 'The app has no source to deploy yet.'}
      </EmptyState>
    </Card>
  )
}

function Rows({ list, picked, onToggle }: { list: readonly Deployment[]; picked: readonly number[]; onToggle: (id: number) => void }) {
  return (
    <ul className="divide-y divide-line">
      {list.map((deployment) => (
        <DeploymentRow
          key={deployment.id}
          deployment={deployment}
          before={
            <input
              type="checkbox"
              aria-label={`Compare #${deployment.deployment_number}`}
              checked={picked.includes(deployment.id)}
              onChange={() => onToggle(deployment.id)}
              className="mt-1 size-4 shrink-0 accent-(--accent-solid)"
            />
          }
          actions={
            <>
              <RedeployButton kind="quiet" deployment={deployment} />
              <RollbackButton deployment={deployment} />
            </>
          }
        />
      ))}
    </ul>
  )
}
