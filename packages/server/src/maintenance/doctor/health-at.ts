import http from 'node:http'
import { text } from 'node:stream/consumers'

/** The /health response of a Berth on this machine. */
export async function healthAt(port: number, signal: AbortSignal): Promise<{ status?: unknown; version?: unknown; checks?: unknown }> {
  const answer = await new Promise<http.IncomingMessage>((resolve, reject) => {
    http.get({ host: '127.0.0.1', port, path: '/health', signal }, resolve).once('error', reject)
  })
  const health: unknown = JSON.parse(await text(answer))
  return typeof health === 'object' && health !== null ? health : {}
}
