import type { ListedApplication, Project } from '@berth/contract'
import { Link } from '@tanstack/react-router'
import { Tag } from '../../components/badge.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { plural } from '../../lib/sizes.ts'
import { paths } from '../../paths.ts'
import { tagsOf } from './queries.ts'

export type ProjectWithApps = { project: Project; apps: readonly ListedApplication[] }

export function ProjectGrid({ list }: { list: readonly ProjectWithApps[] }) {
  return (
    <ul className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
      {list.map(({ project, apps }) => (
        <li
          key={project.id}
          className="relative flex min-w-0 flex-col rounded-lg border border-line bg-surface p-4 hover:border-line-strong"
        >
          <h2 className="truncate font-semibold">
            <Link to={paths.project(project.id)} className="after:absolute after:inset-0 after:rounded-lg">
              {project.name}
            </Link>
          </h2>
          <p className="mt-0.5 line-clamp-2 text-sm [overflow-wrap:anywhere] text-ink-soft sm:min-h-5">{project.description}</p>
          <p className="mt-auto flex flex-wrap items-center gap-1.5 pt-3 text-[13px] text-ink-soft">
            <Counts apps={apps} />
            <Tags text={project.tags} />
          </p>
        </li>
      ))}
    </ul>
  )
}

export function ProjectRows({ list }: { list: readonly ProjectWithApps[] }) {
  return (
    <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
      {list.map(({ project, apps }) => (
        <li
          key={project.id}
          className="relative grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 px-4 py-2.5 text-sm hover:bg-sunken/50 sm:grid-cols-[minmax(0,2fr)_minmax(0,1fr)_9rem_8rem]"
        >
          <div className="min-w-0">
            <Link to={paths.project(project.id)} className="block truncate font-medium after:absolute after:inset-0">
              {project.name}
            </Link>
            <p className="truncate text-[13px] text-ink-soft">{project.description}</p>
          </div>
          <span className="hidden min-w-0 flex-wrap gap-1 sm:flex">
            <Tags text={project.tags} />
          </span>
          <span className="text-[13px] text-ink-soft">
            <Counts apps={apps} />
          </span>
          <span className="hidden text-right text-[13px] text-ink-soft sm:block">
            <RelativeTime at={project.updatedAt} />
          </span>
        </li>
      ))}
    </ul>
  )
}

function Counts({ apps }: { apps: readonly ListedApplication[] }) {
  const failing = apps.filter(({ status }) => status === 'error').length
  return (
    <>
      {plural(apps.length, 'app')}
      {failing > 0 && <span className="text-bad"> · {failing} failing</span>}
    </>
  )
}

function Tags({ text }: { text: string }) {
  return tagsOf(text).map((each) => <Tag key={each}>{each}</Tag>)
}
