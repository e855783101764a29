import https from 'node:https'
import { EngineError, EngineUnreachable } from '../api/errors.ts'
import { type AgentAnswer, readAnswer, refusalOf, responseTo } from './agent-answer.ts'
import { type AgentIdentity, agentName } from './agent-identity.ts'
import { EDGE_AGENT_PORT, EDGE_CALLS } from './edge-agent-program.ts'
import { edgeAgentIdentity } from './edge-agent-spec.ts'

export type EdgeCall = keyof typeof EDGE_CALLS

const ANSWER_MS = 10_000
/** Getting an image, and stopping a container whose requests end first. */
const SLOW_MS: Partial<Record<EdgeCall, number>> = { pull: 150_000, run: 90_000, remove: 60_000 }
const MOST_BYTES = 16 * 1024 * 1024

/** Calls to the agents of edges on other servers, which must prove that they are the one that is asked. Connections are kept. */
export function createEdgeAgentCalls({ identity, port = EDGE_AGENT_PORT }: { identity: Pick<AgentIdentity, 'forCaller'>; port?: number }) {
  const connections = new https.Agent({ keepAlive: true, maxSockets: 4 })

  async function call(place: { nodeId: string; address: string }, name: EdgeCall, given: Record<string, unknown> = {}): Promise<unknown> {
    const tls = { ...(await identity.forCaller()), servername: agentName(edgeAgentIdentity(place.nodeId)), minVersion: 'TLSv1.3' } as const
    const signal = AbortSignal.timeout(SLOW_MS[name] ?? ANSWER_MS)
    const to = { host: place.address, port, path: EDGE_CALLS[name], method: 'POST', agent: connections, signal, ...tls } as const
    const answer = await answerOf(to, JSON.stringify(given)).catch((cause: unknown) => {
      throw new EngineUnreachable('the agent of the edge on that server does not answer', { cause })
    })
    if (answer.status === 200) return answer.value
    throw new EngineError(answer.status, refusalOf(answer))
  }

  return { call, close: () => connections.destroy() }
}

export type EdgeAgentCalls = ReturnType<typeof createEdgeAgentCalls>

async function answerOf(to: https.RequestOptions, given: string): Promise<AgentAnswer> {
  const request = https.request({ ...to, headers: { 'content-length': Buffer.byteLength(given) } })
  request.end(given)
  return await readAnswer(await responseTo(request), MOST_BYTES)
}
