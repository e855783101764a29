import type { IncomingHttpHeaders } from 'node:http'
import type { Sender, SenderOf } from './senders.ts'
import { isProven, proofOf, secretShown, signatureShown } from './signature.ts'

const NO_SECRET = 'nobody'

/**
 * Whether a delivery is worth reading. It comes from a stranger and may be 25 MiB long, so its head must show what could prove it. Who is
 * there and who is not makes no difference to what is answered, or when: a signature is judged after the body in any case, a secret before.
 */
export function createWebhookGate(senderOf: SenderOf) {
  return async (headers: IncomingHttpHeaders, query: unknown): Promise<boolean> => {
    if (signatureShown(headers) !== undefined) return true
    const text = secretShown(headers)
    if (text === undefined) return false
    const sender = await senderOf(addressIn(query))
    return isSentBy(sender, headers, Buffer.alloc(0))
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
  const { account, repository, app } = fields
  return {
    account: typeof account === 'string' && /^\d{1,15}$/.test(account) ? Number(account) : undefined,
    repository: typeof repository === 'string' ? repository : undefined,
    app: typeof app === 'string' ? app : undefined,
  }
}
