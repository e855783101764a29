import { Agent } from 'node:https'
import type { TlsToStrangers } from '../lib/tls-to-strangers.ts'

/** Shorter than servers usually keep an idle connection, so that one is rarely closed just when it is used again. */
const IDLE_MS = 4000
const MOST_IDLE = 4 // of a host
const MOST_HOSTS = 64

/** A TLS handshake takes longer than a request, so connections stay open for a moment, for whoever asks that host next. */
export function createHostConnections({ connect }: Pick<TlsToStrangers, 'connect'>) {
  const agents = new Map<string, Agent>()

  function create(address: string): Agent {
    const agent = new Agent({ keepAlive: true, timeout: IDLE_MS, maxFreeSockets: MOST_IDLE })
    agent.createConnection = ({ host, port }) => connect({ name: host ?? address, address, port: Number(port) })
    return agent
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
