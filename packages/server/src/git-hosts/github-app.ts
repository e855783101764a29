import { createPrivateKey, type KeyObject } from 'node:crypto'
import { SignJWT } from 'jose'
import Type from 'typebox'
import { isConsistentRsa, isUsualRsa } from '../lib/rsa-key.ts'
import * as keys from '../lib/usual-keys.ts'
import { allPages, answerOf, HostName, HostText } from './answers.ts'
import { apiBase } from './base-url.ts'
import { HostError } from './errors.ts'
import { gitHubHeaders } from './github.ts'
import type { AskHost, HostClient } from './host-client.ts'

/** A GitHub App as identified to its host. Anybody with the key can act as the app. */
export type AppIdentity = { baseUrl: string; hostId: string; privateKey: string; privileged: boolean }
export type Installation = { id: string; login: string; isSuspended: boolean }
export type NewApp = { hostId: string; slug: string; name: string; privateKey: string; webhookSecret: string }
export type InstallationToken = { token: string; expiresAt: Date }

const Slug = Type.String({ maxLength: 100, pattern: '^[A-Za-z0-9][A-Za-z0-9_-]*$' })
const readNewApp = answerOf(
  Type.Object({
    id: Type.Integer(),
    slug: Slug,
    name: HostName,
    pem: Type.String({ minLength: 100, maxLength: 20_000 }),
    webhook_secret: Type.String({ minLength: 8, maxLength: 500 }),
  }),
)
const readApp = answerOf(Type.Object({ id: Type.Integer(), slug: Slug, name: HostName }))
const Installed = Type.Object({
  id: Type.Integer(),
  account: Type.Object({ login: HostName }),
  suspended_at: Type.Optional(Type.Union([HostText, Type.Null()])),
})
const readInstallation = answerOf(Installed)
const readInstallations = answerOf(Type.Array(Installed))
const readToken = answerOf(
  Type.Object({ token: Type.String({ minLength: 1, maxLength: 1000, pattern: '^[!-~]+$' }), expires_at: HostText }),
)

const PER_PAGE = 100
const VISIT_MS = 30_000
const [CLOCK_DRIFT_S, LIFE_S] = [60, 300] // GitHub accepts at most ten minutes, and rejects tokens issued in the future

/** The normalised key, or undefined if the text is not a usual RSA key, which is what GitHub issues for apps. */
export function readPrivateKey(pem: string): string | undefined {
  try {
    const key = keys.readPrivateKey(pem)
    if (key?.asymmetricKeyType !== 'rsa' || !isUsualRsa(key.asymmetricKeyDetails ?? {}) || !isConsistentRsa(key)) return undefined
    return key.export({ type: 'pkcs8', format: 'pem' }).toString()
  } catch {
    return undefined
  }
}

/** The calls that authenticate as the app itself, before an installation has a token. */
export function createGitHubApps(deps: { visit: HostClient; now: () => Date }) {
  async function tokenOfApp(app: AppIdentity): Promise<string> {
    const at = Math.floor(deps.now().getTime() / 1000)
    const key: KeyObject = createPrivateKey(app.privateKey) // it was checked before it was stored
    const claims = new SignJWT()
      .setIssuer(app.hostId)
      .setIssuedAt(at - CLOCK_DRIFT_S)
      .setExpirationTime(at + LIFE_S)
    return await claims.setProtectedHeader({ alg: 'RS256', typ: 'JWT' }).sign(key)
  }

  async function asApp<Result>(app: AppIdentity, work: (ask: AskHost) => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    try {
      return await visitGitHub({ ...app, headers: gitHubHeaders(await tokenOfApp(app)) }, work, signal)
    } catch (cause) {
      throw cause instanceof HostError ? explainedForApps(cause, app) : cause
    }
  }

  async function visitGitHub<Result>(
    { baseUrl, headers, privileged }: { baseUrl: string; headers: Record<string, string>; privileged: boolean },
    work: (ask: AskHost) => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> {
    const limit = AbortSignal.any([AbortSignal.timeout(VISIT_MS), ...(signal ? [signal] : [])])
    return await deps.visit({ base: apiBase('github', baseUrl), headers, privileged, signal: limit }, work)
  }

  return {
    /** Who has the code has just created the app on GitHub. It works once. */
    async convert(place: { baseUrl: string; privileged: boolean }, code: string): Promise<NewApp> {
      const { authorization: _none, ...headers } = gitHubHeaders('')
      const path = `/app-manifests/${encodeURIComponent(code)}/conversions`
      const { body } = await visitGitHub({ ...place, headers }, async (ask) => await ask({ method: 'POST', path }))
      const made = readNewApp(body)
      const privateKey = readPrivateKey(made.pem)
      if (privateKey === undefined) throw new HostError('unavailable', 'The host created an app without a readable key.')
      return { hostId: String(made.id), slug: made.slug, name: made.name, privateKey, webhookSecret: made.webhook_secret }
    },
    /** The identity of the app, which also shows whether the key belongs to it. */
    async identify(app: AppIdentity): Promise<{ slug: string; name: string }> {
      const found = readApp((await asApp(app, async (ask) => await ask({ path: '/app' }))).body)
      if (String(found.id) !== app.hostId) throw new HostError('unauthorized', 'According to the host, this key belongs to another app.')
      return { slug: found.slug, name: found.name }
    },
    async installations(app: AppIdentity): Promise<Installation[]> {
      const list = { path: '/app/installations', query: { per_page: PER_PAGE } }
      const found = await asApp(app, async (ask) => await allPages(ask, list, { perPage: PER_PAGE, items: readInstallations }))
      return found.map(installationOf)
    },
    async installation(app: AppIdentity, id: string): Promise<Installation> {
      return installationOf(readInstallation((await asApp(app, async (ask) => await ask({ path: `/app/installations/${id}` }))).body))
    },
    /** The webhook URL for events of all its installations. */
    async setHookUrl(app: AppIdentity, url: string, signal: AbortSignal): Promise<void> {
      await asApp(app, async (ask) => await ask({ method: 'PATCH', path: '/app/hook/config', body: { url, content_type: 'json' } }), signal)
    },
    async token(app: AppIdentity, installationId: string, signal?: AbortSignal): Promise<InstallationToken> {
      const path = `/app/installations/${installationId}/access_tokens`
      const made = readToken((await asApp(app, async (ask) => await ask({ method: 'POST', path }), signal)).body)
      return { token: made.token, expiresAt: new Date(made.expires_at) }
    },
  }
}

export type GitHubApps = ReturnType<typeof createGitHubApps>

function installationOf({ id, account, suspended_at: at }: ReturnType<typeof readInstallation>): Installation {
  return { id: String(id), login: account.login, isSuspended: at !== undefined && at !== null }
}

/** The usual messages are about access tokens, which would be misleading here. */
function explainedForApps(cause: HostError, { baseUrl }: AppIdentity): HostError {
  const { hostname } = new URL(baseUrl)
  const explained = (failure: HostError['failure'], words: string) => new HostError(failure, words, { cause })
  if (cause.failure === 'unauthorized')
    return explained(
      'unauthorized',
      `${hostname} does not accept the private key of the app: the App ID is wrong, the app was deleted there, the key was deleted or belongs to another app, or the clock of this server is wrong. Make a new private key in the settings of the app and connect the app again.`,
    )
  if (cause.failure === 'missing')
    return explained('missing', `The app is no longer installed there. Install it again from its page at ${hostname}.`)
  if (cause.failure === 'forbidden' && /suspended/i.test(cause.message))
    return explained(
      'suspended',
      `The installation of the app is suspended at ${hostname}. Unsuspend it in the settings of its owner there.`,
    )
  return cause
}

/** The page where people install an app. Built from the URL we know, whatever the host returns. */
export function installPageOf(baseUrl: string, slug: string): string {
  const { host } = new URL(baseUrl)
  const isCloud = host === 'github.com' || host.endsWith('.ghe.com')
  return `${baseUrl}/${isCloud ? 'apps' : 'github-apps'}/${slug}/installations/new`
}
