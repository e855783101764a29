import { PROJECT_SOURCE } from '@berth/contract'
import { kindOf } from '../../domain/app-kinds.ts'
import { bestHost, type EdgePorts, hostUrl } from '../../domain/app-url.ts'
import type { AppRow } from '../../domain/rows.ts'
import type { Db, Reader } from '../../store/database.ts'
import type { DatabaseTemplate } from '../templates/templates.ts'
import { factsOf } from './app-facts.ts'
import { type Resolved, resolveReferences, type Source, sourcesNamedIn, type Variables } from './references.ts'
import { listHosts, listReferredApps, type ReferredAppRow } from './store.ts'

type Deps = {
  db: Db
  readEnv: (db: Reader, appId: number) => Promise<Record<string, string>>
  readProject: (db: Reader, projectId: number) => Promise<Variables>
  findTemplate: (name: string) => DatabaseTemplate | undefined
  edgePorts: EdgePorts
}

export type ResolveEnvironment = (app: Pick<AppRow, 'id' | 'project_id'>) => Promise<Resolved>

/**
 * The environment of an app as a release made now would get it. References name apps by slug, which never changes:
 * an app that is renamed keeps its own. Variables are those of now, so a changed password comes with the next release.
 */
export function createResolveEnvironment(deps: Deps): ResolveEnvironment {
  const { db } = deps

  async function sourceOf(app: ReferredAppRow): Promise<Source> {
    const template = kindOf(app).madeFrom === 'template' ? deps.findTemplate(app.template_name) : undefined
    const best = bestHost(await listHosts(db, app.id))
    return {
      variables: new Map(Object.entries(await deps.readEnv(db, app.id))),
      fact: factsOf({
        slug: app.slug,
        port: app.port,
        url: best ? hostUrl(best, deps.edgePorts) : '',
        ...(template && { connectionUrl: template.url }),
      }),
    }
  }

  /** Everything that these values can lead to, inside the project. */
  async function gather(projectId: number, from: Variables): Promise<Map<string, Source>> {
    const sources = new Map<string, Source>()
    const named = sourcesNamedIn(from.values())
    if (named.size === 0) return sources
    const apps = new Map((await listReferredApps(db, projectId)).map((app) => [app.slug, app]))
    for (const name of named) {
      // What is added to a set while it is gone through comes up in turn.
      const app = apps.get(name)
      const source = name === PROJECT_SOURCE ? { variables: await deps.readProject(db, projectId) } : app && (await sourceOf(app))
      if (!source) continue
      sources.set(name, source)
      for (const next of sourcesNamedIn(source.variables.values())) named.add(next)
    }
    return sources
  }

  return async (app) => {
    const variables = new Map(Object.entries(await deps.readEnv(db, app.id)))
    return resolveReferences(variables, await gather(app.project_id, variables))
  }
}
