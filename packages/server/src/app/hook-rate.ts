import type { AppRow } from '../domain/rows.ts'
import { MOST_CALLS } from '../features/deploy-hook/deploy.ts'
import { createDeliveryRate } from '../features/webhooks/delivery-rate.ts'

/** Limits the calls of each deploy hook, and of all hooks that one person made. */
export function createHookRate(now: () => Date) {
  const isWithinRate = createDeliveryRate(now)
  return ({ id, hook_by: maker }: Pick<AppRow, 'id' | 'hook_by'>): boolean =>
    isWithinRate(`hook ${id}`, 1, MOST_CALLS.ofHook) && isWithinRate(`maker ${maker}`, 1, MOST_CALLS.ofMaker)
}
