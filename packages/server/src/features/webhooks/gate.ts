import type { IncomingHttpHeaders } from 'node:http'
import type { Sender, SenderOf } from './senders.ts'
import { isProven, proofOf, secretShown, signatureShown } from './signature.ts'

const NO_SECRET = 'nobody'

/**
 * Whether to read the body of a delivery. The sender is unknown and the body may have 25 MiB, so its URL must contain a key that cannot be
 * guessed, and its headers must contain a signature or secret. Old webhook URLs have no key and can be guessed: for those, whether the
 * account exists makes no difference, so that nobody can probe for accounts.
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

/** Checks the raw bytes. Takes the same time if the sender is unknown. */
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
