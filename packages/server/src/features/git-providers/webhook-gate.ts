import type { IncomingHttpHeaders } from 'node:http'

const SIGNATURE = /^sha256=[0-9a-f]{64}$/i

/** Whether a delivery is worth reading. It comes from a stranger and may be 25 MiB long, so its head must show that a secret could match. */
export function createWebhookGate(deps: { hasSecret: () => Promise<boolean> }) {
  return async (headers: IncomingHttpHeaders): Promise<boolean> => {
    const signature = headers['x-hub-signature-256']
    return typeof signature === 'string' && SIGNATURE.test(signature) && (await deps.hasSecret())
  }
}
