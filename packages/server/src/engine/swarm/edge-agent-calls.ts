import https from 'node:https'
import { EngineError, EngineUnreachable } from '../api/errors.ts'
import { field, text } from '../api/json.ts'
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
    const { status, body } = await answerOf(to, JSON.stringify(given)).catch((cause: unknown) => {
      throw new EngineUnreachable('the agent of the edge on that server does not answer', { cause })
    })
    if (status === 200) return body
    throw new EngineError(status, text(field(body, 'message')) || `The agent of the edge answered with ${status}.`)
  }

  return { call, close: () => connections.destroy() }
}

export type EdgeAgentCalls = ReturnType<typeof createEdgeAgentCalls>

async function answerOf(to: https.RequestOptions, given: string): Promise<{ status: number; body: unknown }> {
  return await new Promise((resolve, reject) => {
    const request = https.request({ ...to, headers: { 'content-length': Buffer.byteLength(given) } })
    request.on('error', reject)
    request.once('response', (response) => {
      const chunks: Buffer[] = []
      let bytes = 0
      response.on('error', reject)
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        if (bytes > MOST_BYTES) request.destroy(new Error('its answer is too long'))
        else chunks.push(chunk)
      })
      response.on('end', () => {
        try {
          resolve({ status: response.statusCode ?? 0, body: JSON.parse(Buffer.concat(chunks).toString('utf8')) })
        } catch (cause) {
          reject(cause instanceof Error ? cause : new Error(String(cause)))
        }
      })
    })
    request.end(given)
  })
}
