import { randomBytes } from 'node:crypto'
import type { GitHubManifest, GitHubManifestRequest, GitHubOutcome } from '@berth/contract'
import { type Again, type Caller, isStaff } from '../../../domain/caller.ts'
import { ownershipNow, ownershipOf } from '../../../domain/ownership.ts'
import { findGitHubApp } from '../../../domain/rows.ts'
import { HostError } from '../../../git-hosts/errors.ts'
import { type GitHubApps, installPageOf } from '../../../git-hosts/github-app.ts'
import { AppError } from '../../../lib/app-error.ts'
import type { SecretBox } from '../../../lib/secret-box.ts'
import type { Db } from '../../../store/database.ts'
import type { InTurn } from '../host-access.ts'
import { baseUrlOf, hookUrlOf, newHookKey } from './addresses.ts'
import { appIdentity } from './app-identity.ts'
import { createConnectExisting } from './connect-existing.ts'
import type { Installations } from './installations.ts'
import { manifestAction, manifestOf } from './manifest.ts'
import { createSaveApp } from './save-app.ts'
import { createStates } from './states.ts'

type Deps = {
  db: Db
  secrets: SecretBox
  apps: GitHubApps
  installations: Installations
  inTurn: InTurn
  /** The public URL of this server; undefined while it is unknown. */
  publicUrl: () => Promise<string | undefined>
  now: () => Date
}

type NewAppReturn = { code?: string; state?: string }
type InstallationReturn = { installation_id?: string; setup_action?: string; state?: string }

const CODE = /^[\w-]{1,200}$/
const NUMBER = /^\d{1,15}$/
const DEFAULT_NAME = 'Berth'

/** GitHub Apps: created for this server from a manifest, or connected if they already exist. */
export function createGitHubConnect(deps: Deps) {
  const { db, apps, installations, inTurn } = deps
  const states = createStates(deps)
  const save = createSaveApp(deps)

  async function manifest(caller: Caller, input: GitHubManifestRequest, site: string): Promise<GitHubManifest> {
    const { projectId } = await ownershipOf(db, caller, input.projectId)
    const baseUrl = baseUrlOf(input.baseUrl)
    const hookKey = newHookKey()
    const begun = { step: 'create', base_url: baseUrl, hook_key: hookKey, project_id: projectId, github_app_id: null } as const
    const state = await db.transaction(async (tx) => await states.begin(tx, caller, begun))
    const webhookUrl = hookUrlOf((await deps.publicUrl()) ?? site, hookKey)
    const name = input.name ?? `${DEFAULT_NAME} ${randomBytes(3).toString('hex')}` // names of apps are unique on the host
    return { action: manifestAction(baseUrl, input.organization, state), manifest: manifestOf({ name, site, webhookUrl }), state }
  }

  /** The browser returns from GitHub with a new app: it is saved, and the browser is redirected to install it. */
  async function created(caller: Caller, input: NewAppReturn, { site, again }: { site: string; again: Again }): Promise<string> {
    const begun = await states.take(caller, 'create', input.state)
    if (!begun) return dashboard('wrong_state')
    const { base_url: baseUrl, hook_key: hookKey, project_id: projectId } = begun
    const { code } = input
    if (code === undefined || !CODE.test(code)) return dashboard('not_created', projectId)
    try {
      await ownershipOf(db, caller, projectId) // the person may have left the project since then
      const made = await inTurn(caller, async () => await apps.convert({ baseUrl, privileged: isStaff(caller) }, code))
      const hookUrl = hookUrlOf((await deps.publicUrl()) ?? site, hookKey)
      const state = await db.transaction(async (tx) => {
        const { caller: by, ...belonging } = await ownershipNow(tx, again, projectId)
        const id = await save(tx, by, { baseUrl, hookKey, hookUrl, isSecretChosen: false, belonging }, made)
        const next = { step: 'install', base_url: baseUrl, hook_key: hookKey, project_id: projectId, github_app_id: id } as const
        return await states.begin(tx, caller, next)
      })
      return `${installPageOf(baseUrl, made.slug)}?state=${state}`
    } catch (cause) {
      return dashboard(outcomeOf(cause, 'not_created'), projectId)
    }
  }

  /** The browser returns from GitHub after an installation. The installation id is only accepted if GitHub lists it for this app. */
  async function installed(caller: Caller, input: InstallationReturn, again: Again): Promise<string> {
    const begun = await states.take(caller, 'install', input.state)
    const app = begun && (await findGitHubApp(db, begun.github_app_id ?? 0))
    if (!begun || !app) return dashboard('wrong_state')
    const { installation_id: id } = input
    if (id === undefined || !NUMBER.test(id)) {
      return dashboard(input.setup_action === 'request' ? 'requested' : 'not_installed', app.project_id)
    }
    try {
      await ownershipOf(db, caller, app.project_id)
      const identity = await appIdentity(db, deps.secrets, app)
      const found = await inTurn(caller, async () => await apps.installation(identity, id))
      await db.transaction(async (tx) => {
        const { caller: by } = await ownershipNow(tx, again, app.project_id)
        await installations.save(tx, by, app, found)
      })
      return dashboard('connected', app.project_id)
    } catch (cause) {
      return dashboard(outcomeOf(cause, 'not_installed'), app.project_id)
    }
  }

  return { manifest, created, installed, connect: createConnectExisting(deps) }
}

export type GitHubConnect = ReturnType<typeof createGitHubConnect>

function dashboard(outcome: GitHubOutcome, projectId?: number | null): string {
  const place = projectId === undefined || projectId === null ? '/account/git' : `/projects/${projectId}/git`
  return `${place}?github=${outcome}`
}

function outcomeOf(cause: unknown, otherwise: GitHubOutcome): GitHubOutcome {
  if (cause instanceof HostError) return cause.isTransient ? 'host_unavailable' : otherwise
  if (!(cause instanceof AppError)) throw cause
  if (cause.code === 'server_busy') return 'host_unavailable'
  return cause.code === 'invalid_request' ? 'too_many' : 'wrong_state'
}
