import https from 'node:https'
import { createLimiter, type Limiter } from '../../lib/limiter.ts'
import { type AgentAnswer, readAnswer, responseTo } from './agent-answer.ts'
import { type AgentIdentity, agentName } from './agent-identity.ts'
import { AGENT_PORT } from './agent-program.ts'
import { VOLUMES_CALL } from './agent-volumes-program.ts'

/** Of a project. */
export type OwnerOf = (projectId: number) => Promise<number | undefined>
type Deps = { identity: Pick<AgentIdentity, 'forCaller'>; ownerOf: OwnerOf; now: () => Date; port?: number }
/** The agent of a node, at its address in the network of agents. */
export type AgentPlace = { readonly nodeId: string; readonly address: string }

const CONNECT_MS = 1000
const ANSWER_MS = 5000
const MOST_BYTES = 1024 * 1024
/**
 * A server that did not answer is not asked again for so long: many containers would wait for it one after the other. Nor is one of its
 * containers that it could not tell about in time.
 */
const AWAY_MS = 10_000
const MOST_AWAY = 1000

/**
 * For each server. It is half of what an agent takes: there may be another control plane. Owners of projects take turns, and
 * one with slow containers cannot have all places.
 */
const LIMITS = { running: 8, runningPerKey: 3, waiting: 2000, waitingPerKey: 500, waitMs: 20_000 }

/** Calls to the agents of other servers, which must prove that they are the one that is asked. */
export function createAgentCalls({ identity, ownerOf, now, port = AGENT_PORT }: Deps) {
  const awayUntil = new Map<string, number>()
  const looking = new Map<string, Promise<boolean>>()
  const limiters = new Map<string, Limiter>()

  /**
   * What the engine of that server answers, or null: without its agent, or about a container that it does not have or does not tell about.
   * `project`: whose container it is; 0 for what is of none.
   */
  async function get({ project, ...place }: AgentPlace & { project: number }, path: string, signal?: AbortSignal): Promise<unknown> {
    const limiter = limiters.get(place.nodeId) ?? createLimiter(LIMITS)
    limiters.set(place.nodeId, limiter)
    const owner = project === 0 ? 'berth' : ((await ownerOf(project)) ?? 'nobody')
    return await limiter.run(owner, async () => await getNow(place, path, signal), signal)
  }

  async function getNow(place: AgentPlace, path: string, signal?: AbortSignal): Promise<unknown> {
    const [, , container = path] = path.split('/')
    const [server, one] = [place.nodeId, `${place.nodeId} ${container}`]
    if (isAway(server) || isAway(one)) return null
    try {
      const { status, value } = await send(place, { method: 'GET', path, withinMs: ANSWER_MS }, signal)
      return status === 200 ? value : null
    } catch {
      signal?.throwIfAborted()
      const answers = await lookAt(place)
      if (awayUntil.size >= MOST_AWAY) awayUntil.clear()
      awayUntil.set(answers ? one : server, now().getTime() + AWAY_MS)
      return null
    }
  }

  function isAway(what: string): boolean {
    return (awayUntil.get(what) ?? 0) > now().getTime()
  }

  /**
   * Whether the agent, and its engine, answers what has nothing to do with any one container: whoever makes the engine slow for a container
   * must not hide all others of that server. One look for all that wait for it.
   */
  async function lookAt(place: AgentPlace): Promise<boolean> {
    const known = looking.get(place.nodeId)
    if (known !== undefined) return await known
    const look = send(place, { method: 'GET', path: VOLUMES_CALL, withinMs: ANSWER_MS }).then(
      () => true,
      () => false,
    )
    looking.set(place.nodeId, look)
    try {
      return await look
    } finally {
      looking.delete(place.nodeId)
    }
  }

  /** Throws if the agent does not answer in time. */
  async function send(
    { nodeId, address }: AgentPlace,
    { withinMs, ...call }: { method: string; path: string; withinMs: number },
    signal?: AbortSignal,
  ): Promise<AgentAnswer> {
    const deadline = AbortSignal.timeout(withinMs)
    const tls = { ...(await identity.forCaller()), servername: agentName(nodeId), minVersion: 'TLSv1.3' } as const
    const place = { host: address, port, agent: false, ...call, ...tls }
    return await answerOf(place, signal === undefined ? deadline : AbortSignal.any([signal, deadline]))
  }

  return { get, send }
}

export type AgentCalls = ReturnType<typeof createAgentCalls>

/** An agent without an answer from its engine is as good as none. */
async function answerOf(place: https.RequestOptions, signal: AbortSignal): Promise<AgentAnswer> {
  const request = https.request({ ...place, signal })
  const connecting = setTimeout(() => request.destroy(new Error('it did not accept the connection in time')), CONNECT_MS)
  request.once('socket', (socket) => socket.once('secureConnect', () => clearTimeout(connecting)))
  request.once('close', () => clearTimeout(connecting))
  request.end()
  const answer = await readAnswer(await responseTo(request), MOST_BYTES)
  if (answer.status === 502) throw new Error('its engine does not answer')
  return answer
}
