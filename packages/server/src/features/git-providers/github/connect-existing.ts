import { type ConnectedGitHubApp, type ExistingGitHubApp } from '@berth/contract'
import { type Again, type Caller, isStaff } from '../../../domain/caller.ts'
import { ownershipNow, ownershipOf } from '../../../domain/ownership.ts'
import { findGitHubApp } from '../../../domain/rows.ts'
import { HostError } from '../../../git-hosts/errors.ts'
import { type GitHubApps, readPrivateKey } from '../../../git-hosts/github-app.ts'
import { fieldError } from '../../../lib/app-error.ts'
import type { SecretBox } from '../../../lib/secret-box.ts'
import type { Db } from '../../../store/database.ts'
import { asAppError, type InTurn } from '../host-access.ts'
import { listAccountsOfApp, presentAccount } from '../store.ts'
import { baseUrlOf, hookUrlOf, newHookKey } from './addresses.ts'
import type { Installations } from './installations.ts'
import { createSaveApp } from './save-app.ts'

type Deps = {
  db: Db
  secrets: SecretBox
  apps: Pick<GitHubApps, 'identify' | 'installations'>
  installations: Pick<Installations, 'save'>
  inTurn: InTurn
  publicUrl: () => Promise<string | undefined>
  now: () => Date
}

export function createConnectExisting(deps: Deps) {
  const { db, apps, installations, inTurn } = deps
  const save = createSaveApp(deps)

  /** Connects an app that was created by hand. The host confirms first that the key belongs to it. */
  return async function connect(
    caller: Caller,
    input: ExistingGitHubApp,
    { site, again }: { site: string; again: Again },
  ): Promise<ConnectedGitHubApp> {
    await ownershipOf(db, caller, input.projectId)
    const baseUrl = baseUrlOf(input.baseUrl)
    const privateKey = readPrivateKey(input.privateKey)
    if (privateKey === undefined)
      throw fieldError('invalid_request', 'privateKey', 'must be the RSA private key of the app: the whole .pem file from GitHub')
    const identity = { baseUrl, hostId: String(input.appId), privateKey, privileged: isStaff(caller) }
    const [{ slug, name }, found] = await inTurn(
      caller,
      async () => [await apps.identify(identity), await apps.installations(identity)] as const,
    ).catch((cause: unknown) => {
      throw asAppFieldError(cause)
    })
    const hookKey = newHookKey()
    const id = await db.transaction(async (tx) => {
      const { caller: by, ...belonging } = await ownershipNow(tx, again, input.projectId)
      const made = { hostId: identity.hostId, slug, name, privateKey, webhookSecret: input.webhookSecret }
      const saved = await save(tx, by, { baseUrl, hookKey, hookUrl: '', isSecretChosen: true, belonging }, made)
      const app = await findGitHubApp(tx, saved)
      if (app) for (const installation of found) await installations.save(tx, by, app, installation)
      return saved
    })
    const app = await findGitHubApp(db, id)
    const accounts = (await listAccountsOfApp(db, id)).map(presentAccount)
    return { webhookUrl: hookUrlOf((await deps.publicUrl()) ?? site, app?.hook_key ?? hookKey), accounts }
  }
}

/** The input is wrong, or the host is unavailable. */
function asAppFieldError(cause: unknown): unknown {
  if (!(cause instanceof HostError)) return cause
  if (cause.isTransient) return asAppError(cause)
  const field = cause.failure === 'refused' || cause.failure === 'missing' ? 'baseUrl' : 'privateKey'
  return fieldError('invalid_request', field, cause.message)
}
