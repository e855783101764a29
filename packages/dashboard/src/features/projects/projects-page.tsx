import type { Application, Project } from '@berth/contract'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Tag } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { TextField } from '../../components/field.tsx'
import { PageHeader } from '../../components/page.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { EmptyState } from '../../components/states.tsx'
import { useSearchState } from '../../lib/route-state.ts'
import { plural } from '../../lib/sizes.ts'
import { paths } from '../../paths.ts'
import { apps } from '../apps/queries.ts'
import { NewProjectDialog } from './new-project-dialog.tsx'
import { projects, tagsOf } from './queries.ts'

export function ProjectsPage() {
  const query = useQuery(projects)
  const { data: appList } = useQuery(apps)
  const [search, setSearch] = useSearchState('q')
  const [tag, setTag] = useSearchState('tag')
  const [adding, setAdding] = useState(false)
  const tags = [...new Set(query.data?.flatMap((project) => tagsOf(project.tags)))].sort()
  const wanted = (project: Project): boolean =>
    (tag === '' || tagsOf(project.tags).includes(tag)) &&
    `${project.name} ${project.description} ${project.tags}`.toLowerCase().includes(search.toLowerCase())
  const add = (
    <Button kind="primary" icon="plus" onClick={() => setAdding(true)}>
      New project
    </Button>
  )
  return (
    <>
      <PageHeader title="Projects" actions={add} />
      <div className="mb-4 flex flex-wrap items-center gap-2">
        <div className="w-full sm:w-72">
          <TextField label="Search" hideLabel type="search" placeholder="Search projects" value={search} onText={setSearch} />
        </div>
        {tags.map((each) => (
          <button
            key={each}
            type="button"
            aria-pressed={each === tag}
            onClick={() => setTag(each === tag ? '' : each)}
            className="min-h-8 rounded-full border border-line bg-surface px-3 text-[13px] text-ink-soft hover:border-line-strong aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:text-accent"
          >
            {each}
          </button>
        ))}
      </div>
      <QueryView
        query={query}
        empty={
          <EmptyState icon="project" title="No projects yet" action={add}>
            A project groups apps that share a network and members.
          </EmptyState>
        }
      >
        {(all) => {
          const found = all.filter(wanted)
          if (found.length === 0) return <EmptyState icon="search" title="No matching projects" />
          return (
            <ul className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
              {found.map((project) => (
                <ProjectCard
                  key={project.id}
                  project={project}
                  apps={(appList ?? []).filter(({ project_id }) => project_id === project.id)}
                />
              ))}
            </ul>
          )
        }}
      </QueryView>
      {adding && <NewProjectDialog onClose={() => setAdding(false)} />}
    </>
  )
}

function ProjectCard({ project, apps: own }: { project: Project; apps: readonly Application[] }) {
  const failing = own.filter(({ status }) => status === 'error').length
  return (
    <li className="relative rounded-lg border border-line bg-surface p-4 hover:border-line-strong">
      <h2 className="truncate font-semibold">
        <Link to={paths.project(project.id)} className="after:absolute after:inset-0 after:rounded-lg">
          {project.name}
        </Link>
      </h2>
      <p className="mt-0.5 line-clamp-2 text-sm sm:min-h-5 text-ink-soft">{project.description}</p>
      <p className="mt-3 flex flex-wrap items-center gap-1.5 text-[13px] text-ink-soft">
        {plural(own.length, 'app')}
        {failing > 0 && <span className="text-bad">· {failing} failing</span>}
        {tagsOf(project.tags).map((each) => (
          <Tag key={each}>{each}</Tag>
        ))}
      </p>
    </li>
  )
}
