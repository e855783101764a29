import { type Authority, type Certified, issuedTo } from '../../lib/x509.ts'

type Deps = {
  /** Berth's own, which other servers know already. */
  authority: () => Promise<Authority>
  now: () => Date
}

/** The name in the certificate of the control plane. */
export const CALLER = 'control-plane.berth'
const DAY_MS = 24 * 3600_000
const AGENT_DAYS = 90
/** Of the control plane's own certificate: it is kept in memory only. */
const CALLER_DAYS = 2
/** An agent gets a new key after this time. */
export const RENEW_AFTER_MS = 60 * DAY_MS

/** The name in the certificate of the agent on a node: one agent cannot answer for another. */
export function agentName(nodeId: string): string {
  return `${nodeId}.agent.berth`
}

/** Who agents and the control plane are for each other. Keys of agents are not kept here: Swarm gives them to the server that they are for. */
export function createAgentIdentity({ authority, now }: Deps) {
  let caller: { certified: Certified; madeAt: number } | undefined
  const times = (days: number) => ({ notBefore: new Date(now().getTime() - DAY_MS), notAfter: new Date(now().getTime() + days * DAY_MS) })

  /** What the agent of a node reads when it starts. */
  async function forAgent(nodeId: string): Promise<string> {
    const known = await authority()
    const { key, certificate } = issuedTo(known, { name: agentName(nodeId), use: 'server', ...times(AGENT_DAYS) })
    return JSON.stringify({ key, certificate, authority: known.certificate })
  }

  async function forCaller(): Promise<{ key: string; cert: string; ca: string }> {
    const known = await authority()
    if (caller === undefined || now().getTime() - caller.madeAt > DAY_MS)
      caller = { certified: issuedTo(known, { name: CALLER, use: 'client', ...times(CALLER_DAYS) }), madeAt: now().getTime() }
    return { key: caller.certified.key, cert: caller.certified.certificate, ca: known.certificate }
  }

  return { forAgent, forCaller, authority }
}

export type AgentIdentity = ReturnType<typeof createAgentIdentity>
