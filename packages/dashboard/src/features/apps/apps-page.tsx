import { APP_STATUSES, APP_TYPES, type ListedApplication } from '@berth/contract'
import { useQuery } from '@tanstack/react-query'
import { ButtonLink } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { SelectField, TextField } from '../../components/field.tsx'
import { PageHeader } from '../../components/page.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { EmptyState } from '../../components/states.tsx'
import { useSearchState } from '../../lib/route-state.ts'
import { APP_LOOK, TYPE_WORDS } from '../../lib/status.ts'
import { paths } from '../../paths.ts'
import { AppList } from '../../shared/app-list.tsx'
import { projects } from '../projects/queries.ts'
import { apps } from './queries.ts'

const TYPE_OPTIONS = [{ value: '', label: 'All types' }, ...APP_TYPES.map((type) => ({ value: type, label: TYPE_WORDS[type].label }))]
const STATUS_OPTIONS = [
  { value: '', label: 'All statuses' },
  ...APP_STATUSES.map((status) => ({ value: status, label: APP_LOOK[status].label })),
]

export function AppsPage() {
  const query = useQuery(apps)
  const { data: projectList } = useQuery(projects)
  const [search, setSearch] = useSearchState('q')
  const [type, setType] = useSearchState('type')
  const [status, setStatus] = useSearchState('state')
  const wanted = (app: ListedApplication): boolean =>
    (type === '' || app.app_type === type) &&
    (status === '' || app.status === status) &&
    `${app.name} ${app.description} ${app.domains.join(' ')}`.toLowerCase().includes(search.toLowerCase())
  return (
    <>
      <PageHeader title="Apps" note="All apps you have access to." />
      <div className="mb-4 grid gap-2 sm:grid-cols-[minmax(0,1fr)_11rem_11rem]">
        <TextField label="Search" hideLabel type="search" placeholder="Search by name or address" value={search} onText={setSearch} />
        <SelectField label="Type" hideLabel value={type} options={TYPE_OPTIONS} onPick={setType} />
        <SelectField label="Status" hideLabel value={status} options={STATUS_OPTIONS} onPick={setStatus} />
      </div>
      <Card flush>
        <QueryView
          query={query}
          empty={
            <EmptyState icon="app" title="No apps yet" action={<ButtonLink to={paths.projects()}>Go to projects</ButtonLink>}>
              Apps belong to a project. Open or create a project, then add an app.
            </EmptyState>
          }
        >
          {(all) => {
            const found = all.filter(wanted)
            return found.length === 0 ? (
              <EmptyState icon="search" title="No matching apps" />
            ) : (
              <AppList apps={found} projects={projectList ?? []} />
            )
          }}
        </QueryView>
      </Card>
    </>
  )
}
