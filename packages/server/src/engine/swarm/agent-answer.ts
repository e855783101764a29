import type { ClientRequest, IncomingMessage } from 'node:http'
import { cleanLine } from '../../lib/clean-line.ts'
import { parseForeignJson } from '../../lib/foreign-json.ts'
import { field, text } from '../api/json.ts'

export type AgentAnswer = { readonly status: number; readonly value: unknown }

const LONGEST_MESSAGE = 1000

/** Resolves once the headers have arrived. */
export async function responseTo(request: ClientRequest): Promise<IncomingMessage> {
  return await new Promise((resolve, reject) => {
    request.on('error', reject)
    request.once('response', resolve)
  })
}

/** What an agent answers, as JSON. Agents run on other servers, so their answers are limited like those of strangers. */
export async function readAnswer(response: IncomingMessage, mostBytes: number): Promise<AgentAnswer> {
  const chunks: Buffer[] = []
  let bytes = 0
  // without an encoding it yields buffers, which its type does not express
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > mostBytes) throw new Error('its answer is too long')
    chunks.push(chunk)
  }
  return { status: response.statusCode ?? 0, value: parseForeignJson(Buffer.concat(chunks)) }
}

/** Why an agent refused a call, in one line for people. */
export function refusalOf({ status, value }: AgentAnswer): string {
  return cleanLine(text(field(value, 'message'))).slice(0, LONGEST_MESSAGE) || `Its agent answered with status ${status}.`
}
