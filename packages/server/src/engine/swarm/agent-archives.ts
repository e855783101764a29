import type http from 'node:http'
import https from 'node:https'
import type { Readable } from 'node:stream'
import { text as textOf } from 'node:stream/consumers'
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
const LONGEST_MESSAGE = 2000

/** The contents of volumes on other servers, as archives that may take hours. */
export function createAgentArchives({ identity, port = AGENT_PORT }: { identity: Pick<AgentIdentity, 'forCaller'>; port?: number }) {
  async function open(
    { nodeId, address }: AgentPlace,
    { volume, archive, signal }: { volume: string; archive?: Readable; signal: AbortSignal },
  ): Promise<http.IncomingMessage> {
    const tls = { ...(await identity.forCaller()), servername: agentName(nodeId), minVersion: 'TLSv1.3' } as const
    const call = { method: archive === undefined ? 'GET' : 'PUT', path: archiveCall(volume) }
    const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
      const request = https.request({ host: address, port, agent: false, signal, ...call, ...tls })
      request.setTimeout(IDLE_MS, () => request.destroy(new Error('the agent is silent')))
      request.on('error', reject)
      request.once('response', resolve)
      if (archive === undefined) return void request.end()
      archive.once('error', (cause) => request.destroy(cause)) // what could not be read must not look like the end
      archive.pipe(request)
    })
    if (response.statusCode === 200) return response
    const message = (await textOf(response)).slice(0, LONGEST_MESSAGE)
    throw new ArchiveRefused(/"message":"([^"]*)"/.exec(message)?.[1] ?? `it answered ${response.statusCode ?? 0}`)
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
      await textOf(await open(place, { volume, archive, signal }))
    } finally {
      archive.destroy()
    }
  }

  return { read, write }
}

export type AgentArchives = ReturnType<typeof createAgentArchives>
