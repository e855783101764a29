import type { IncomingHttpHeaders } from 'node:http'
import type { AppRow } from '../../domain/rows.ts'
import { AppError } from '../../lib/app-error.ts'
import { isSecretOf } from './secret.ts'

const BEARER = /^Bearer ([\w-]{1,200})$/i
const REFUSED = 'The secret is wrong, or the app has no deploy hook. Send it as "Authorization: Bearer <secret>".'

/** A deploy hook is authenticated by its secret alone. An unknown app, an app without a hook and a wrong secret get the same response. */
export function createHookGate({ findApp }: { findApp: (id: number) => Promise<AppRow | undefined> }) {
  return async (headers: IncomingHttpHeaders, params: unknown): Promise<AppRow> => {
    const id = typeof params === 'object' && params !== null && 'appId' in params ? String(params.appId) : ''
    const secret = BEARER.exec(headers.authorization ?? '')?.[1]
    const app = secret !== undefined && /^\d{1,15}$/.test(id) ? await findApp(Number(id)) : undefined
    if (app === undefined || secret === undefined || !isSecretOf(app.hook_hash, secret))
      throw new AppError('webhook_not_verified', { message: REFUSED })
    return app
  }
}
