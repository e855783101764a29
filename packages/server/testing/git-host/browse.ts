import { readFileSync } from 'node:fs'
import { request } from 'node:https'
import { text } from 'node:stream/consumers'
import type { GitHostServer } from './start-git-host.ts'

/** One step of somebody's browser at the host; gives where it leads on. */
export async function browse(host: Pick<GitHostServer, 'caFile'>, url: string, form?: Record<string, string>): Promise<URL> {
  const body = form && new URLSearchParams(form).toString()
  const headers = body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }
  const { promise, resolve, reject } = Promise.withResolvers<URL>()
  const sent = request(url, { method: body === undefined ? 'GET' : 'POST', headers, ca: readFileSync(host.caFile) }, (response) => {
    const { statusCode, headers: answered } = response
    text(response).then((said) => {
      if (statusCode === 302 && answered.location !== undefined) resolve(new URL(answered.location))
      else reject(new Error(`the host answered ${statusCode}: ${said}`))
    }, reject)
  })
  sent.once('error', reject)
  sent.end(body)
  return await promise
}
