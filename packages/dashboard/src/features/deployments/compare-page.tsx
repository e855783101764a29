import type { Deployment } from '@berth/contract'
import { useQuery } from '@tanstack/react-query'
import { ButtonLink } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { SelectField } from '../../components/field.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { EmptyState } from '../../components/states.tsx'
import { useIdParam, useSearchState } from '../../lib/route-state.ts'
import { paths } from '../../paths.ts'
import { CommitChanges } from './commit-changes.tsx'
import { CompareTable } from './compare-table.tsx'
import { deployment, recentDeployments } from './queries.ts'
import { SettingsChanges } from './settings-changes.tsx'

export function ComparePage() {
  const appId = useIdParam('appId')
  return (
    <Card title="Compare deployments" actions={<ButtonLink to={paths.deployments(appId)}>All deployments</ButtonLink>}>
      <QueryView query={useQuery(recentDeployments(appId))} empty={<EmptyState icon="rocket" title="No deployments yet" />}>
        {(list) => <Comparison list={list} />}
      </QueryView>
    </Card>
  )
}

/** A deployment that is named in the address may be older than those that can be picked. */
function useNamed(list: readonly Deployment[], id: string): Deployment | undefined {
  const known = list.find((each) => String(each.id) === id)
  const { data } = useQuery({ ...deployment(Number(id)), enabled: known === undefined && /^[1-9]\d*$/.test(id) })
  return known ?? data
}

function Comparison({ list }: { list: readonly Deployment[] }) {
  const [from, setFrom] = useSearchState('from')
  const [to, setTo] = useSearchState('to')
  const before = useNamed(list, from) ?? list[1] ?? list[0]
  const after = useNamed(list, to) ?? list[0]
  if (!before || !after) return null
  const known = new Map([...list, before, after].map((each) => [each.id, each]))
  const options = [...known.values()]
    .sort((a, b) => b.id - a.id)
    .map(({ id, deployment_number }) => ({ value: String(id), label: `#${deployment_number}` }))
  return (
    <div className="grid gap-6">
      <CompareTable
        pair={[before, after]}
        heads={[
          <SelectField key="before" label="Before" value={String(before.id)} options={options} onPick={setFrom} />,
          <SelectField key="after" label="After" value={String(after.id)} options={options} onPick={setTo} />,
        ]}
      />
      {before.commit_hash !== '' && after.commit_hash !== '' && <CommitChanges before={before} after={after} />}
      <SettingsChanges before={before} after={after} />
    </div>
  )
}
