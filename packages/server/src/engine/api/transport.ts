import type http from 'node:http'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { EngineAddress } from './address.ts'
import { ANSWER_TIMEOUT_MS, type EngineRequest, openRequest, openUpgrade, translate } from './connection.ts'
import { EngineError, EngineUnreachable } from './errors.ts'
import { field, text } from './json.ts'
import { readArray } from './json-array.ts'

export type EngineStream = { readonly contentType: string; readonly chunks: AsyncIterable<Buffer>; close(): void }

const NEWEST_KNOWN = 47
const OLDEST_KNOWN = 41
const PING_TIMEOUT_MS = 5_000
const STUMBLE_MS = 200
const MAX_ERROR_BYTES = 64 * 1024
/** Of an answer that is not a list. */
const MOST = { bytes: 64 * 1024 * 1024, refusal: 'The response of the container engine is longer than 64 MiB.' }

/** Requests to the engine's HTTP API over its socket. Each has its own connection, so that closing it cancels that request. */
export function createTransport(deps: { address: EngineAddress; connectTimeoutMs?: number; beforeChange?: () => Promise<void> }) {
  const { address, connectTimeoutMs = 5_000, beforeChange } = deps
  const engine = { address, connectTimeoutMs }
  let version: string | null = null

  async function negotiate(signal: AbortSignal | undefined): Promise<string> {
    if (version !== null) return version
    const answer = await openRequest(engine, { method: 'GET', path: '/_ping', signal, timeoutMs: PING_TIMEOUT_MS }, '')
    const offered = Number(/^1\.(\d+)$/.exec(String(answer.headers['api-version'] ?? ''))?.[1] ?? OLDEST_KNOWN)
    await drain(answer)
    version = `/v1.${Math.min(offered, NEWEST_KNOWN)}`
    return version
  }

  async function request(wanted: EngineRequest): Promise<http.IncomingMessage> {
    try {
      const prefix = await negotiate(wanted.signal)
      if (wanted.method !== 'GET') await beforeChange?.()
      const response = await openRequest(engine, wanted, prefix)
      if ((response.statusCode ?? 500) >= 400) throw new EngineError(response.statusCode ?? 500, await messageOf(response))
      return response
    } catch (cause) {
      if (cause instanceof EngineUnreachable) version = null // a different engine may be there when it is back
      wanted.upload?.destroy()
      throw cause
    }
  }

  /** A read that failed with a server error is retried once, because it changes nothing. */
  async function answered<Answer>(wanted: EngineRequest, read: (response: http.IncomingMessage) => Promise<Answer>): Promise<Answer> {
    const once = async () => await inTime(await request(wanted), wanted, read)
    try {
      return await once()
    } catch (cause) {
      if (wanted.method !== 'GET' || !(cause instanceof EngineError) || cause.status < 500) throw cause
      await sleep(STUMBLE_MS, undefined, { ...(wanted.signal && { signal: wanted.signal }) })
      return await once()
    }
  }

  /** One parsed response; `null` if it is empty. */
  async function json(wanted: EngineRequest): Promise<unknown> {
    return await answered(wanted, async (response) => await readJson(response, wanted.most))
  }

  /** A response that is a list, of which `read` takes what is needed. */
  async function list<Item>(wanted: EngineRequest, read: (item: unknown) => Item): Promise<Item[]> {
    return await answered(wanted, async (response) => await readArray(bytesOf(response), read))
  }

  /** A streaming response. `close` closes the connection, which tells the engine to stop. */
  async function stream(wanted: EngineRequest): Promise<EngineStream> {
    const response = await request(wanted)
    const close = () => response.destroy()
    return { contentType: String(response.headers['content-type'] ?? ''), chunks: chunksOf(response, wanted.signal), close }
  }

  /** The connection itself, once the engine speaks the protocol on it. It belongs to the caller. */
  async function upgrade(wanted: EngineRequest, protocol: string): Promise<Duplex> {
    const prefix = await negotiate(wanted.signal)
    await beforeChange?.()
    return await openUpgrade(engine, wanted, { prefix, protocol })
  }

  async function ping(signal?: AbortSignal): Promise<void> {
    const answer = await openRequest(engine, { method: 'GET', path: '/_ping', signal, timeoutMs: PING_TIMEOUT_MS }, '')
    const message = await messageOf(answer)
    if (answer.statusCode !== 200) throw new EngineError(answer.statusCode ?? 500, message)
  }

  return { json, list, stream, upgrade, ping }
}

export type Transport = ReturnType<typeof createTransport>

// Without an encoding a response yields buffers, which its type does not express.
function bytesOf(response: http.IncomingMessage): AsyncIterable<Buffer> {
  return response
}

async function inTime<Answer>(
  response: http.IncomingMessage,
  wanted: EngineRequest,
  read: (response: http.IncomingMessage) => Promise<Answer>,
): Promise<Answer> {
  const late = () => response.destroy(new EngineUnreachable('its answer did not end in time'))
  const timer = setTimeout(late, wanted.timeoutMs ?? ANSWER_TIMEOUT_MS)
  try {
    return await read(response)
  } catch (cause) {
    throw translate(cause, wanted.signal)
  } finally {
    clearTimeout(timer)
  }
}

async function readJson(response: http.IncomingMessage, most = MOST): Promise<unknown> {
  const body = await readAll(response, most)
  return body.length === 0 ? null : JSON.parse(body.toString('utf8'))
}

async function readAll(response: http.IncomingMessage, { bytes, refusal }: NonNullable<EngineRequest['most']>): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of bytesOf(response)) {
    length += chunk.length
    if (length > bytes) throw new EngineError(413, refusal)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

async function readBeginning(response: http.IncomingMessage, mostBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of bytesOf(response)) {
    chunks.push(chunk)
    length += chunk.length
    if (length >= mostBytes) break
  }
  return Buffer.concat(chunks).subarray(0, mostBytes)
}

async function drain(response: http.IncomingMessage): Promise<void> {
  try {
    await readAll(response, MOST)
  } catch (cause) {
    throw translate(cause, undefined)
  }
}

async function messageOf(response: http.IncomingMessage): Promise<string> {
  const body = (await readBeginning(response, MAX_ERROR_BYTES)).toString('utf8')
  try {
    return text(field(JSON.parse(body), 'message')) || body
  } catch {
    return body.trim() || `HTTP ${response.statusCode}` // not every error of the engine is JSON
  }
}

async function* chunksOf(response: http.IncomingMessage, signal: AbortSignal | undefined): AsyncGenerator<Buffer> {
  try {
    yield* bytesOf(response)
    if (!response.complete) throw new EngineUnreachable('the connection was cut')
  } catch (cause) {
    throw translate(cause, signal)
  } finally {
    response.destroy()
  }
}
