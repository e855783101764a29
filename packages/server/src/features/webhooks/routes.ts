import type { Handlers } from '../../http/implement.ts'
import type { Hooks } from './hooks.ts'
import type { Inbox } from './inbox.ts'
import type { Receive } from './receive.ts'

export function webhookHandlers(parts: { receive: Receive; inbox: Inbox; hooks: Pick<Hooks, 'stateOf'> }) {
  const { inbox } = parts
  return {
    'webhooks.git': async ({ raw, input }) => await parts.receive(input, raw),
    'webhooks.deliveries': async ({ caller, of, input }) => await inbox.list(caller, of, input),
    'webhooks.delivery': async ({ caller, delivery }) => await inbox.get(caller, delivery),
    'webhooks.redeliver': async ({ caller, account, delivery }) => await inbox.redeliver(caller, account, delivery),
    'apps.webhook': async ({ app }) => await parts.hooks.stateOf(app),
  } satisfies Partial<Handlers>
}
