import type { Connection, ListedApplication } from '@berth/contract'
import { kindOf } from '../../domain/app-kinds.ts'
import type { EdgePorts } from '../../domain/app-url.ts'
import { type Caller, isStaff } from '../../domain/caller.ts'
import type { AppRow } from '../../domain/rows.ts'
import type { Source as GitSource } from '../../git/git-visit.ts'
import { fieldError } from '../../lib/app-error.ts'
import { limited } from '../../lib/limited.ts'
import { createLimiter } from '../../lib/limiter.ts'
import type { Db } from '../../store/database.ts'
import type { ResolveEnvironment } from '../env-variables/resolve-environment.ts'
import type { AppSource } from '../git-providers/app-source.ts'
import type { DatabaseTemplate } from '../templates/templates.ts'
import { checkSource, type ProbeSource, type Requester, type Source } from './source-check.ts'
import type { BuildPlace } from './source-files.ts'
import { createAppLists, listVisibleApplications, presentApplication } from './store.ts'

/** A source, its project, and the git account to access it with. */
type Place = Source & { projectId: number; accountId: number | undefined }

type Deps = {
  db: Db
  findTemplate: (name: string) => DatabaseTemplate | undefined
  resolveEnvironment: ResolveEnvironment
  probeSource: ProbeSource
  lookWith: AppSource['lookWith']
  edgePorts: EdgePorts
}

/** Each reads a thousand rows, or decrypts up to a few thousand values. */
const LIMITS = { running: 4, runningPerKey: 2, waiting: 500, waitingPerKey: 100, waitMs: 30_000 }
const TOO_MANY = 'Too many requests like this one are being answered. Try again in a few seconds.'

/** The read operations of apps. */
export function createAppReading(deps: Deps) {
  const { db } = deps
  const limiter = createLimiter(LIMITS)

  async function listAll(caller: Caller): Promise<ListedApplication[]> {
    const userId = isStaff(caller) ? undefined : caller.id
    return await limited(limiter, caller, TOO_MANY, async () => await listVisibleApplications(db, deps.edgePorts, userId))
  }

  async function connection(app: AppRow): Promise<Connection> {
    const template = kindOf(app).madeFrom === 'template' ? deps.findTemplate(app.template_name) : undefined
    if (!template) throw fieldError('invalid_request', 'appId', 'must be a database app: the others have domains')
    const { env, problems } = await deps.resolveEnvironment(app)
    if (problems[0]) throw fieldError('invalid_request', 'appId', problems[0].message)
    return { url: template.url(app.slug, env), host: app.slug, port: template.port }
  }

  /** With a git account, the account's rights and credential apply, not the caller's. */
  async function asker(caller: Caller, { projectId, accountId, cloneUrl }: Place): Promise<Requester> {
    const own = { id: caller.id, mayUsePrivate: isStaff(caller) }
    if (accountId === undefined) return own
    const { privileged, credential } = await deps.lookWith(caller, { projectId, accountId, url: cloneUrl })
    return { id: caller.id, mayUsePrivate: privileged, credential }
  }

  /** For other features that inspect a source before an app uses it. */
  async function sourceFor(caller: Caller, place: Place): Promise<GitSource> {
    const right = await asker(caller, place)
    checkSource({ cloneUrl: place.cloneUrl, ...(place.branch !== '' && { branch: place.branch }) }, right)
    return { url: place.cloneUrl, privileged: right.mayUsePrivate, ...(right.credential && { credential: right.credential }) }
  }

  return {
    sourceFor,
    list: createAppLists(db, deps.edgePorts),
    listAll,
    get: async (app: AppRow) => await presentApplication(db, deps.edgePorts, app),
    connection: async (caller: Caller, app: AppRow) => await limited(limiter, caller, TOO_MANY, async () => await connection(app)),
    checkSource: async (caller: Caller, source: Place) => await deps.probeSource.branches(source, await asker(caller, source)),
    checkSourceFiles: async (caller: Caller, source: Place & BuildPlace) =>
      await deps.probeSource.files(source, await asker(caller, source)),
  }
}

export type AppReading = ReturnType<typeof createAppReading>
