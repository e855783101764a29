import { type Edge, EdgeUnavailable } from '../edge.ts'
import { AcmeFailure, exchange } from './acme-transport.ts'
import { newKey } from './new-key.ts'

export type AcmeDeps = {
  settings: () => { directoryUrl: string; email: string | undefined /** PEM of a private authority's own root */; ca?: string }
  accountKey: () => Promise<string>
  edge: Pick<Edge, 'addChallenge' | 'removeChallenge'>
  timeoutMs?: number
  /** How often we poll the authority for the result of its check, from the first pause to the longest. */
  poll?: { minMs: number; maxMs: number; attempts: number }
}

/** Orders certificates over HTTP-01. The library is loaded with the first order, because it costs 20 MB of memory. */
export function createAcme(deps: AcmeDeps) {
  const { settings, accountKey, edge, timeoutMs = 30_000, poll = { minMs: 1_000, maxMs: 10_000, attempts: 20 } } = deps
  let library: ReturnType<typeof load> | undefined

  async function issue(host: string): Promise<{ chain: string; key: string; directory: string }> {
    library ??= load(() => settings().ca, timeoutMs)
    const acme = await library
    const { directoryUrl, email } = settings()
    const client = new acme.Client({
      directoryUrl,
      accountKey: await accountKey(),
      backoffMin: poll.minMs,
      backoffMax: poll.maxMs,
      backoffAttempts: poll.attempts,
    })
    const [privateKey, csr] = await acme.crypto.createCsr({ altNames: [host] }, newKey())
    try {
      const chain = await client.auto({
        csr,
        ...(email === undefined ? {} : { email }),
        termsOfServiceAgreed: true,
        challengePriority: ['http-01'],
        // our own check beforehand also covers this, with a better message
        skipChallengeVerification: true,
        challengeCreateFn: (_authorization, challenge, answer) => edge.addChallenge(challenge.token, answer),
        challengeRemoveFn: (_authorization, challenge) => edge.removeChallenge(challenge.token),
      })
      return { chain, key: privateKey.toString('utf8'), directory: directoryUrl }
    } catch (cause) {
      if (cause instanceof AcmeFailure || cause instanceof EdgeUnavailable) throw cause
      throw new AcmeFailure(`The certificate authority refused ${host}: ${cause instanceof Error ? cause.message : String(cause)}`, {
        cause,
      })
    }
  }

  return { issue }
}

export type Acme = ReturnType<typeof createAcme>

/** Uses our own transport, which limits every exchange. */
async function load(ca: () => string | undefined, timeoutMs: number) {
  const acme = await import('acme-client')
  acme.axios.defaults.adapter = async (config) => {
    const headers = Object.fromEntries(Object.entries(config.headers.toJSON()).map(([name, value]) => [name, String(value)]))
    const body = typeof config.data === 'string' ? config.data : undefined
    const sent = { url: config.url ?? '', method: config.method ?? 'get', headers, body }
    const answer = await exchange(sent, { ca: ca(), timeoutMs })
    const received = Object.fromEntries(
      Object.entries(answer.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
    )
    return { data: answer.body, status: answer.status, statusText: '', headers: received, config }
  }
  return acme
}
