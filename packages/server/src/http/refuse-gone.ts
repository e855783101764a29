import type { OpenPolicy, Policy } from '@berth/contract'
import type { Caller } from '../domain/caller.ts'
import { isReferenceViolation } from '../store/storage-failure.ts'
import type { Loaders } from './policies.ts'

type Admitted = { may: Policy; caller?: Caller; input: Record<string, unknown> }

const isOpen = (may: Policy): may is OpenPolicy => may === 'anyone' || may === 'signed webhook' || may === 'deploy hook'

/**
 * What a request is about can be deleted while the request waits to write. It then gets the response that it would get now. Never
 * resolves: any other error is thrown as it is.
 */
export async function refuseGone(loaders: Loaders, { may, caller, input }: Admitted, cause: unknown): Promise<never> {
  if (isReferenceViolation(cause) && caller !== undefined && !isOpen(may)) await loaders[may](caller, input)
  throw cause
}
