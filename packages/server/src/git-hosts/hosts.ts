import type { GitProvider } from '@berth/contract'
import type { Credential } from '../git/git-settings.ts'
import { apiBase } from './base-url.ts'
import { createGitea, giteaHeaders } from './gitea.ts'
import { createGitHub, createGitHubInstallation, gitHubHeaders } from './github.ts'
import { createGitLab, gitLabHeaders } from './gitlab.ts'
import type { GitHost } from './host.ts'
import type { AskHost, HostClient } from './host-client.ts'

/** How each provider is spoken to: the port, the headers, and the name that goes with a token when git clones. */
const PROVIDERS = {
  github: { create: createGitHub, headers: gitHubHeaders, username: 'x-access-token' },
  gitlab: { create: createGitLab, headers: gitLabHeaders, username: 'oauth2' },
  gitea: { create: createGitea, headers: giteaHeaders, username: 'oauth2' },
  forgejo: { create: createGitea, headers: giteaHeaders, username: 'oauth2' },
} as const satisfies Record<
  GitProvider,
  { create: (ask: AskHost) => GitHost; headers: (token: string) => Record<string, string>; username: string }
>

export type HostIdentity = {
  readonly provider: GitProvider
  readonly baseUrl: string
  readonly token: string
  /** An installation's token opens other places than a person's. */
  readonly via: 'app' | 'token'
  readonly privileged: boolean
}

const VISIT_MS = 60_000

/** Opens a git host for one piece of work. */
export function createGitHosts(deps: { visit: HostClient }) {
  return async function visitHost<Result>(
    identity: HostIdentity,
    work: (host: GitHost) => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> {
    const { create, headers } = PROVIDERS[identity.provider]
    const open = identity.via === 'app' ? createGitHubInstallation : create
    const place = {
      base: apiBase(identity.provider, identity.baseUrl),
      headers: headers(identity.token),
      privileged: identity.privileged,
      signal: AbortSignal.any([AbortSignal.timeout(VISIT_MS), ...(signal ? [signal] : [])]),
    }
    return await deps.visit(place, async (ask) => await work(open(ask)))
  }
}

export type GitHosts = ReturnType<typeof createGitHosts>

/** What git sends along when it clones; it belongs to this host and port and to no other. */
export function cloneCredential({ provider, baseUrl, token }: Pick<HostIdentity, 'provider' | 'baseUrl' | 'token'>): Credential {
  const { hostname, port } = new URL(baseUrl)
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? 443 : Number(port),
    username: PROVIDERS[provider].username,
    password: token,
  }
}
