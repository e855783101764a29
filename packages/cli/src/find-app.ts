import type { Call, ListedApplication, Project } from '@berth/contract'
import { CannotDo } from './command.ts'

/** An app by its ID, its name, or project/name. A name that exists in several projects needs its project. */
export function pickApp(nameOrId: string, apps: readonly ListedApplication[], projects: readonly Project[]): ListedApplication {
  const projectOf = new Map(projects.map(({ id, name }) => [id, name]))
  const isNamed = (app: ListedApplication, name: string) => app.name.toLowerCase() === name.toLowerCase() || app.slug === name
  const [project, name] = nameOrId.includes('/') ? nameOrId.split('/', 2) : [undefined, nameOrId]
  const found = apps.filter(
    (app) => isNamed(app, name ?? '') && (project === undefined || projectOf.get(app.project_id)?.toLowerCase() === project.toLowerCase()),
  )
  const byNumber = /^\d+$/.test(nameOrId) ? apps.find(({ id }) => id === Number(nameOrId)) : undefined
  const [only, other] = byNumber && found.length === 0 ? [byNumber] : found
  if (!only) throw new CannotDo('app_not_found', `There is no app "${nameOrId}" that you can see.`, 'Try: berth apps')
  if (other) {
    const names = found.map((app) => `${projectOf.get(app.project_id) ?? app.project_id}/${app.name}`).join(', ')
    throw new CannotDo('app_ambiguous', `Several apps have this name: ${names}.`, 'Try again with project/name.')
  }
  return only
}

export async function findApp(api: Call, nameOrId: string): Promise<ListedApplication> {
  const [apps, projects] = await Promise.all([api('apps.listAll'), api('projects.list')])
  return pickApp(nameOrId, apps, projects)
}

export async function findProject(api: Call, nameOrId: string): Promise<Project> {
  const projects = await api('projects.list')
  const found = projects.filter(({ id, name }) => name.toLowerCase() === nameOrId.toLowerCase() || String(id) === nameOrId)
  const [only, other] = found
  if (!only) throw new CannotDo('project_not_found', `There is no project "${nameOrId}" that you can see.`, 'Try: berth projects')
  if (other)
    throw new CannotDo('project_ambiguous', 'Several projects have this name.', 'Try again with the ID of the project (berth projects).')
  return only
}
