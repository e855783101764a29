import type { Connection } from '@berth/contract'
import { kindOf } from '../../domain/app-kinds.ts'
import type { EdgePorts } from '../../domain/app-url.ts'
import { type Caller, isStaff } from '../../domain/caller.ts'
import type { AppRow } from '../../domain/rows.ts'
import { fieldError } from '../../lib/app-error.ts'
import type { Db } from '../../store/database.ts'
import type { ResolveEnvironment } from '../env-variables/resolve-environment.ts'
import type { DatabaseTemplate } from '../templates/templates.ts'
import type { Asker, ProbeSource, Source } from './source-check.ts'
import type { BuildPlace } from './source-files.ts'
import { createAppLists, listVisibleApplications, presentApplication } from './store.ts'

type Deps = {
  db: Db
  findTemplate: (name: string) => DatabaseTemplate | undefined
  resolveEnvironment: ResolveEnvironment
  probeSource: ProbeSource
  edgePorts: EdgePorts
}

/** What can be asked of applications without changing any. */
export function createAppReading(deps: Deps) {
  const { db } = deps

  async function connection(app: AppRow): Promise<Connection> {
    const template = kindOf(app).madeFrom === 'template' ? deps.findTemplate(app.template_name) : undefined
    if (!template) throw fieldError('invalid_request', 'appId', 'must be a database app: the others have domains')
    const { env, problems } = await deps.resolveEnvironment(app)
    if (problems[0]) throw fieldError('invalid_request', 'appId', problems[0].message)
    return { url: template.url(app.slug, env), host: app.slug, port: template.port }
  }

  return {
    list: createAppLists(db, deps.edgePorts),
    listAll: async (caller: Caller) => await listVisibleApplications(db, deps.edgePorts, isStaff(caller) ? undefined : caller.id),
    get: async (app: AppRow) => await presentApplication(db, deps.edgePorts, app),
    connection,
    checkSource: async (caller: Caller, source: Source) => await deps.probeSource.branches(source, asker(caller)),
    checkSourceFiles: async (caller: Caller, source: Source & BuildPlace) => await deps.probeSource.files(source, asker(caller)),
  }
}

function asker(caller: Caller): Asker {
  return { id: caller.id, mayUsePrivate: isStaff(caller) }
}

export type AppReading = ReturnType<typeof createAppReading>
