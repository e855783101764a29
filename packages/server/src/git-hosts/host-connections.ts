import { Agent } from 'node:https'
import { isIP } from 'node:net'
import { createSecureContext, type SecureContext } from 'node:tls'

/** Shorter than servers usually keep an idle connection, so that one is rarely closed just when it is used again. */
const IDLE_MS = 4000
const MOST_IDLE = 4 // of a host
const MOST_HOSTS = 64

/** A TLS handshake takes longer than a request and holds up everybody, so connections stay open for a moment, for whoever asks that host next. */
export function createHostConnections({ ca }: { ca: readonly string[] | undefined }) {
  let trusted: SecureContext | undefined // parsing some hundred certificates takes longer than a request too
  const agents = new Map<string, Agent>()

  function create(address: string): Agent {
    const family = isIP(address) === 6 ? 6 : 4
    return new Agent({
      keepAlive: true,
      timeout: IDLE_MS,
      maxFreeSockets: MOST_IDLE,
      ...(ca && { secureContext: (trusted ??= createSecureContext({ ca: [...ca] })) }),
      lookup: (_name, options, done) => (options.all ? done(null, [{ address, family }]) : done(null, address, family)),
    })
  }

  /** Its connections to the host all go to this address, which was checked for the one who asks. */
  return function agentFor(host: string, address: string): Agent {
    const key = `${host} ${address}`
    const agent = agents.get(key) ?? create(address)
    agents.delete(key)
    agents.set(key, agent)
    // its idle connections end by themselves
    for (const oldest of agents.keys()) if (agents.size > MOST_HOSTS) agents.delete(oldest)
    return agent
  }
}
