import Type from 'typebox'
import { Compile } from 'typebox/compile'
import { PLATFORM } from '../../../domain/audit.ts'
import type { GitHubAppRow } from '../../../domain/rows.ts'
import type { Tx } from '../../../store/database.ts'
import type { Installations } from './installations.ts'
import { findInstalled } from './store.ts'

const InstallationEvent = Type.Object({
  action: Type.String(),
  installation: Type.Object({
    id: Type.Integer(),
    account: Type.Object({ login: Type.String({ maxLength: 255 }) }),
    suspended_at: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  }),
})

/** Handles the deliveries about installations of an app. */
export function createHandleInstallation({ save, end }: Pick<Installations, 'save' | 'end'>) {
  let validator: ReturnType<typeof Compile<typeof InstallationEvent>> | undefined

  /** Returns a sentence about the result, or undefined for events that we do not handle. */
  return async function handle(tx: Tx, app: GitHubAppRow, body: unknown): Promise<string | undefined> {
    validator ??= Compile(InstallationEvent)
    if (!validator.Check(body)) return undefined
    const { action, installation } = body
    const { id, account, suspended_at: suspendedAt } = installation
    const known = await findInstalled(tx, app.id, String(id))
    if (action === 'deleted') {
      if (known) await end(tx, known, 'error')
      return `${account.login} has uninstalled the app.`
    }
    if (action === 'suspend') {
      if (known) await end(tx, known, 'suspended')
      return `${account.login} has suspended the app.`
    }
    if (action === 'created' || (known && (action === 'unsuspend' || action === 'new_permissions_accepted'))) {
      const isSuspended = suspendedAt !== undefined && suspendedAt !== null
      await save(tx, PLATFORM, app, { id: String(id), login: account.login, isSuspended })
      return `${account.login} has installed the app.`
    }
    return undefined
  }
}
