import type { IncomingHttpHeaders } from 'node:http'
import type { GitAccountRow } from '../../domain/rows.ts'
import { isProven, proofOf } from './signature.ts'

type Deps = {
  findAccount: (id: number) => Promise<GitAccountRow | undefined>
  secretOf: (account: GitAccountRow) => string
}

/** Whether a delivery is worth reading. It comes from a stranger and may be 25 MiB long, so its head must show that a secret could match. */
export function createWebhookGate({ findAccount, secretOf }: Deps) {
  return async (headers: IncomingHttpHeaders, query: unknown): Promise<boolean> => {
    const given = typeof query === 'object' && query !== null && 'account' in query ? query.account : undefined
    if (typeof given !== 'string' || !/^\d{1,15}$/.test(given)) return false
    const account = await findAccount(Number(given))
    const proof = account && proofOf(account.provider, headers)
    if (!account || !proof || account.sealed_secret === '') return false
    return proof.kind === 'signature' || isProven(proof, secretOf(account), Buffer.alloc(0)) // a secret is right or wrong before the body is read
  }
}
