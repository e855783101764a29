import type http from 'node:http'
import https from 'node:https'
import type { Readable } from 'node:stream'
import { readAnswer, refusalOf, responseTo } from './agent-answer.ts'
import type { AgentPlace } from './agent-calls.ts'
import { type AgentIdentity, agentName } from './agent-identity.ts'
import { AGENT_PORT } from './agent-program.ts'
import { archiveCall } from './agent-volumes-program.ts'

/** It refused: the message is for people. */
export class ArchiveRefused extends Error {
  override readonly name = 'ArchiveRefused'
}

/** An engine that writes to a slow disk is silent meanwhile. */
const IDLE_MS = 120_000
/** Of an answer that is not an archive. */
const MOST_BYTES = 64 * 1024

/** The contents of volumes on other servers, as archives that may take hours. */
export function createAgentArchives({ identity, port = AGENT_PORT }: { identity: Pick<AgentIdentity, 'forCaller'>; port?: number }) {
  async function open(
    { nodeId, address }: AgentPlace,
    { volume, archive, signal }: { volume: string; archive?: Readable; signal: AbortSignal },
  ): Promise<http.IncomingMessage> {
    const tls = { ...(await identity.forCaller()), servername: agentName(nodeId), minVersion: 'TLSv1.3' } as const
    const call = { method: archive === undefined ? 'GET' : 'PUT', path: archiveCall(volume) }
    const request = https.request({ host: address, port, agent: false, signal, ...call, ...tls })
    request.setTimeout(IDLE_MS, () => request.destroy(new Error('the agent is silent')))
    archive?.once('error', (cause) => request.destroy(cause)) // what could not be read must not look like the end
    if (archive === undefined) request.end()
    else archive.pipe(request)
    const response = await responseTo(request)
    const status = response.statusCode ?? 0
    if (status === 200) return response
    const answer = await readAnswer(response, MOST_BYTES).catch(() => ({ status, value: null }))
    throw new ArchiveRefused(refusalOf(answer))
  }

  async function read(place: AgentPlace, volume: string, work: (archive: AsyncIterable<Buffer>) => Promise<void>, signal: AbortSignal) {
    const response = await open(place, { volume, signal })
    try {
      await work(response as AsyncIterable<Buffer>) // without an encoding it yields buffers, which its type does not express
    } finally {
      response.destroy()
    }
  }

  async function write(place: AgentPlace, volume: string, archive: Readable, signal: AbortSignal): Promise<void> {
    try {
      await readAnswer(await open(place, { volume, archive, signal }), MOST_BYTES)
    } finally {
      archive.destroy()
    }
  }

  return { read, write }
}

export type AgentArchives = ReturnType<typeof createAgentArchives>
