import { PROJECT_SOURCE } from '@berth/contract'
import { kindOf } from '../../domain/app-kinds.ts'
import { bestHost, type EdgePorts, hostUrl } from '../../domain/app-url.ts'
import type { AppRow } from '../../domain/rows.ts'
import type { Db, Reader } from '../../store/database.ts'
import type { DatabaseTemplate } from '../templates/templates.ts'
import { factsOf, variablesBehind } from './app-facts.ts'
import { gatherSources, type OpenSource } from './gather-sources.ts'
import { type Resolved, resolveReferences, UnresolvedReference, type Variables } from './references.ts'
import { listHosts, listReferredApps, type ReferredAppRow } from './store.ts'

type Deps = {
  db: Db
  readEnv: (db: Reader, appId: number) => Promise<Record<string, string>>
  readNamed: (db: Reader, appId: number, keys: readonly string[]) => Promise<Variables>
  readProject: (db: Reader, projectId: number, keys: readonly string[]) => Promise<Variables>
  findTemplate: (name: string) => DatabaseTemplate | undefined
  edgePorts: EdgePorts
}

export type ResolveEnvironment = (app: Pick<AppRow, 'id' | 'project_id'>) => Promise<Resolved>

/**
 * The environment that a release of the app would get now. References use slugs, which never change, even if the app is renamed. Current
 * values are used, so a changed password takes effect with the next release.
 */
export function createResolveEnvironment(deps: Deps): ResolveEnvironment {
  const { db } = deps

  async function sourceOf(app: ReferredAppRow): Promise<OpenSource> {
    const template = kindOf(app).madeFrom === 'template' ? deps.findTemplate(app.template_name) : undefined
    const best = bestHost(await listHosts(db, app.id))
    return {
      behind: (names) => variablesBehind(names, template?.url),
      read: async (keys) => await deps.readNamed(db, app.id, keys),
      fact: factsOf({
        slug: app.slug,
        port: app.port,
        url: best ? hostUrl(best, deps.edgePorts) : '',
        ...(template && { connectionUrl: template.url }),
      }),
    }
  }

  function sourcesOf(projectId: number) {
    let apps: Promise<Map<string, ReferredAppRow>> | undefined
    const inProject = async () => new Map((await listReferredApps(db, projectId)).map((app) => [app.slug, app]))
    return async (name: string): Promise<OpenSource | undefined> => {
      if (name === PROJECT_SOURCE) return { behind: (names) => names, read: async (keys) => await deps.readProject(db, projectId, keys) }
      apps ??= inProject()
      const app = (await apps).get(name)
      return app && (await sourceOf(app))
    }
  }

  return async (app) => {
    const variables = new Map(Object.entries(await deps.readEnv(db, app.id)))
    try {
      return resolveReferences(variables, await gatherSources(variables, sourcesOf(app.project_id)))
    } catch (cause) {
      if (!(cause instanceof UnresolvedReference)) throw cause
      const refuse = () => {
        throw cause
      }
      return resolveReferences(variables, { get: refuse }) // so that it is reported for each variable with references
    }
  }
}
