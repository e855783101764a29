import type { Version } from '@berth/contract'
import type { Handlers } from '../../http/implement.ts'
import { AppError } from '../../lib/app-error.ts'

/** Berth does not update itself yet, so nothing can be stuck: the state is idle, and clearing finds nothing to clear. */
export function updateHandlers(running: Version) {
  return {
    'updates.version': () => running,
    'updates.check': () => ({
      current: running.version,
      latest: running.version,
      available: false,
      notes: 'This version cannot check for updates yet.',
      publishedAt: null,
    }),
    'updates.apply': () => {
      throw new AppError('no_update')
    },
    'updates.status': () => ({ state: 'idle', from: '', to: '', phase: '', startedAt: null, error: '' }),
    'updates.clear': () => ({ cleared: false }),
  } satisfies Partial<Handlers>
}
