import type { IncomingHttpHeaders } from 'node:http'
import type { Sender, SenderOf } from './senders.ts'
import { isProven, proofOf, secretShown, signatureShown } from './signature.ts'

const NO_SECRET = 'nobody'

/**
 * Whether a delivery is worth reading. It comes from a stranger and may be 25 MiB long, so it must come to an address that nobody can guess,
 * and its head must show what could prove it. Addresses from before they had keys can be guessed: whether there is an account behind one
 * makes no difference to whether it is read.
 */
export function createWebhookGate({ senderOf, hasOldAddresses }: { senderOf: SenderOf; hasOldAddresses: () => Promise<boolean> }) {
  return async (headers: IncomingHttpHeaders, query: unknown): Promise<boolean> => {
    const isSigned = signatureShown(headers) !== undefined
    if (!isSigned && secretShown(headers) === undefined) return false
    const address = addressIn(query)
    const isOld = address.account !== undefined && address.repository === undefined && address.app === undefined
    if (isOld && isSigned) return await hasOldAddresses()
    const sender = await senderOf(address)
    return isSigned ? sender !== undefined : isSentBy(sender, headers, Buffer.alloc(0))
  }
}

/** Over the bytes as they came. With nobody to compare with, as much is computed. */
export function isSentBy(sender: Sender | undefined, headers: IncomingHttpHeaders, body: Buffer): sender is Sender {
  const proof = proofOf(sender?.provider ?? 'gitea', headers)
  const isRight = proof !== undefined && isProven(proof, sender?.secret ?? NO_SECRET, body)
  return sender !== undefined && isRight
}

function addressIn(query: unknown) {
  const fields = typeof query === 'object' && query !== null ? (query as Record<string, unknown>) : {} // an object has fields, of whatever kind
  const { account, repository, key, app } = fields
  return {
    account: typeof account === 'string' && /^\d{1,15}$/.test(account) ? Number(account) : undefined,
    repository: typeof repository === 'string' ? repository : undefined,
    key: typeof key === 'string' ? key : undefined,
    app: typeof app === 'string' ? app : undefined,
  }
}
