import type { Project } from '@berth/contract'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { SelectField, TextField } from '../../components/field.tsx'
import { PageHeader } from '../../components/page.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { Segmented } from '../../components/segmented.tsx'
import { EmptyState } from '../../components/states.tsx'
import { useSearchState } from '../../lib/route-state.ts'
import { apps } from '../apps/queries.ts'
import { NewProjectDialog } from './new-project-dialog.tsx'
import { ProjectGrid, ProjectRows, type ProjectWithApps } from './project-list.tsx'
import { projects, tagsOf } from './queries.ts'

const VIEWS = [
  { value: 'grid', label: 'Grid' },
  { value: 'list', label: 'List' },
] as const

const ORDERS = {
  name: { label: 'Name', compare: (a: ProjectWithApps, b: ProjectWithApps) => a.project.name.localeCompare(b.project.name) },
  updated: {
    label: 'Last changed',
    compare: (a: ProjectWithApps, b: ProjectWithApps) => b.project.updatedAt.localeCompare(a.project.updatedAt),
  },
  apps: { label: 'Most apps', compare: (a: ProjectWithApps, b: ProjectWithApps) => b.apps.length - a.apps.length },
} as const
type Order = keyof typeof ORDERS
const ORDER_OPTIONS = (Object.keys(ORDERS) as Order[]).map((value) => ({ value, label: `Sort: ${ORDERS[value].label}` })) // exactly its keys

export function ProjectsPage() {
  const query = useQuery(projects)
  const [adding, setAdding] = useState(false)
  const add = (
    <Button kind="primary" icon="plus" onClick={() => setAdding(true)}>
      New project
    </Button>
  )
  return (
    <>
      <PageHeader title="Projects" actions={add} />
      <QueryView
        query={query}
        empty={
          <EmptyState icon="project" title="No projects yet" action={add}>
            A project groups apps that share a network and members.
          </EmptyState>
        }
      >
        {(all) => <Browser all={all} />}
      </QueryView>
      {adding && <NewProjectDialog onClose={() => setAdding(false)} />}
    </>
  )
}

/** Finds projects by text and tag, in the order and the view that the address says. */
function Browser({ all }: { all: readonly Project[] }) {
  const { data: appList = [] } = useQuery(apps)
  const [search, setSearch] = useSearchState('q')
  const [tag, setTag] = useSearchState('tag')
  const [view, setView] = useSearchState('view')
  const [sort, setSort] = useSearchState('sort')
  const order: Order = sort === 'updated' || sort === 'apps' ? sort : 'name'
  const found = all
    .filter(({ name, description, tags }) => `${name} ${description} ${tags}`.toLowerCase().includes(search.toLowerCase()))
    .filter(({ tags }) => tag === '' || tagsOf(tags).includes(tag))
    .map((project) => ({ project, apps: appList.filter(({ project_id }) => project_id === project.id) }))
    .sort(ORDERS[order].compare)
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center gap-2">
        <div className="w-full sm:w-auto sm:max-w-72 sm:flex-1">
          <TextField label="Search" hideLabel type="search" placeholder="Search projects" value={search} onText={setSearch} />
        </div>
        <div className="flex gap-2 sm:ml-auto">
          <div className="w-44">
            <SelectField
              label="Sort"
              hideLabel
              value={order}
              options={ORDER_OPTIONS}
              onPick={(next) => setSort(next === 'name' ? '' : next)}
            />
          </div>
          <Segmented
            label="View"
            value={view === 'list' ? 'list' : 'grid'}
            options={VIEWS}
            onPick={(next) => setView(next === 'grid' ? '' : next)}
          />
        </div>
      </div>
      <TagFilter tags={[...new Set(all.flatMap(({ tags }) => tagsOf(tags)))].sort()} picked={tag} onPick={setTag} />
      {found.length === 0 && <EmptyState icon="search" title="No results" />}
      {found.length > 0 && (view === 'list' ? <ProjectRows list={found} /> : <ProjectGrid list={found} />)}
    </>
  )
}

function TagFilter({ tags, picked, onPick }: { tags: readonly string[]; picked: string; onPick: (tag: string) => void }) {
  return (
    <div className="mb-4 flex flex-wrap gap-2 empty:hidden">
      {tags.map((tag) => (
        <button
          key={tag}
          type="button"
          aria-pressed={tag === picked}
          onClick={() => onPick(tag === picked ? '' : tag)}
          className="min-h-8 max-w-full truncate rounded-full border border-line bg-surface px-3 text-[13px] text-ink-soft hover:border-line-strong aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:text-accent"
        >
          {tag}
        </button>
      ))}
    </div>
  )
}
