import { findGitAccount } from '../../domain/rows.ts'
import type { Handlers } from '../../http/implement.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Reader } from '../../store/database.ts'
import type { Hooks } from './hooks.ts'
import type { Inbox } from './inbox.ts'
import type { Receive } from './receive.ts'

export function webhookHandlers(parts: { db: Reader; receive: Receive['receive']; inbox: Inbox; hooks: Pick<Hooks, 'stateOf'> }) {
  const { db, inbox } = parts
  return {
    'webhooks.git': async ({ raw, input }) => {
      const account = await findGitAccount(db, input.account ?? 0)
      if (!account) throw new AppError('webhook_not_verified')
      return await parts.receive(account, raw)
    },
    'webhooks.deliveries': async ({ of, input }) => await inbox.list(of, input),
    'webhooks.delivery': async ({ delivery }) => await inbox.get(delivery),
    'webhooks.redeliver': async ({ caller, account, delivery }) => await inbox.redeliver(caller, account, delivery),
    'apps.webhook': async ({ app }) => await parts.hooks.stateOf(app),
  } satisfies Partial<Handlers>
}
