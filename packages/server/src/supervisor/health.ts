import http from 'node:http'
import { text } from 'node:stream/consumers'

type Health = { version?: string; checks?: Record<string, string> }

const ANSWER_WITHIN_MS = 5000

/** Why the server at this address is not a healthy one of this version; undefined if it is. */
export async function whyUnhealthy(url: string, version: string, mustBeGood: readonly string[] = []): Promise<string | undefined> {
  try {
    const answer = await new Promise<http.IncomingMessage>((resolve, reject) => {
      http.get(new URL('/health', url), { agent: false, signal: AbortSignal.timeout(ANSWER_WITHIN_MS) }, resolve).once('error', reject)
    })
    const body = await text(answer)
    if (answer.statusCode !== 200) return `/health answers ${answer.statusCode}`
    const health = JSON.parse(body) as Health // of our own server; anything else fails the comparison below
    if (health.version !== version) return `/health says version ${health.version}`
    const bad = mustBeGood.find((name) => health.checks?.[name] !== 'ok')
    return bad === undefined ? undefined : `/health says ${bad}: ${health.checks?.[bad] ?? 'unknown'}`
  } catch (cause) {
    return `/health does not answer (${cause instanceof Error ? cause.message : String(cause)})`
  }
}
