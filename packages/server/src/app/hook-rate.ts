import type { AppRow } from '../domain/rows.ts'
import { MOST_CALLS } from '../features/deploy-hook/deploy.ts'
import { createDeliveryRate } from '../features/webhooks/delivery-rate.ts'

/** Limits the calls of each deploy hook, and of all hooks that one person made. */
export function createHookRate(now: () => Date) {
  const [ofHook, ofMaker] = [createDeliveryRate(now, MOST_CALLS.ofHook), createDeliveryRate(now, MOST_CALLS.ofMaker)]
  return ({ id, hook_by: maker }: Pick<AppRow, 'id' | 'hook_by'>): boolean => ofHook(String(id)) && ofMaker(String(maker))
}
