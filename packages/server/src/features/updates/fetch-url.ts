import http from 'node:http'
import https from 'node:https'

export type Fetched = { readonly status: number; readonly headers: http.IncomingHttpHeaders; readonly body: AsyncIterable<Buffer> }
type Options = {
  readonly ca: readonly string[] | undefined
  readonly signal: AbortSignal
  readonly headers?: Readonly<Record<string, string>>
}

export class FeedFailure extends Error {}

const SILENCE_MS = 30_000
const MOST_REDIRECTS = 5
const MOST_TEXT = 8 * 1024 * 1024

/** Follows redirects: what is fetched is signed, so where it comes from does not matter. */
export async function fetchUrl(url: string, options: Options, redirects = 0): Promise<Fetched> {
  const answer = await ask(url, options)
  const { statusCode: status = 0, headers } = answer
  const { location } = headers
  if (status < 300 || status >= 400 || location === undefined) return { status, headers, body: answer }
  answer.destroy()
  const next = URL.canParse(location, url) ? new URL(location, url) : undefined
  if (!next || redirects >= MOST_REDIRECTS) throw new FeedFailure(`${new URL(url).host} redirects too often`)
  if (url.startsWith('https:') && next.protocol !== 'https:') throw new FeedFailure(`${new URL(url).host} redirects away from https`)
  return await fetchUrl(next.href, options, redirects + 1)
}

async function ask(url: string, { ca, signal, headers = {} }: Options): Promise<http.IncomingMessage> {
  const { get } = url.startsWith('https:') ? https : http
  const settings = { agent: false as const, signal, headers: { 'user-agent': 'berth', ...headers }, ...(ca && { ca: [...ca] }) }
  return await new Promise((resolve, reject) => {
    const asked = get(url, settings, resolve)
    asked.setTimeout(SILENCE_MS, () => asked.destroy(new FeedFailure('it sent nothing for 30 s')))
    asked.on('error', reject)
    asked.on('close', () => reject(new FeedFailure('it closed the connection without an answer'))) // nothing once there is one
  })
}

export async function fetchText(url: string, options: Options): Promise<string> {
  const { status, body } = await fetchUrl(url, options)
  if (status !== 200) throw new FeedFailure(`${new URL(url).host} answers ${status}`)
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > MOST_TEXT) throw new FeedFailure('it is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
