import type { Version } from '@berth/contract'
import type { Handlers } from '../../http/implement.ts'
import type { Updates } from './service.ts'

export function updateHandlers(running: Version, updates: Updates) {
  return {
    'updates.version': () => running,
    'updates.check': async () => await updates.check(),
    'updates.apply': async ({ caller }) => await updates.apply(caller, caller.email),
    'updates.status': async () => await updates.status(),
    'updates.history': async () => await updates.history(),
    'updates.clear': async ({ caller }) => await updates.clear(caller),
  } satisfies Partial<Handlers>
}
