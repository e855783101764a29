import type { GitProvider } from '@berth/contract'
import type { Credential } from '../git/git-settings.ts'
import { apiBase } from './base-url.ts'
import { createGitea, giteaHeaders } from './gitea.ts'
import { createGitHub, createGitHubInstallation, gitHubHeaders } from './github.ts'
import { createGitLab, gitLabHeaders } from './gitlab.ts'
import type { GitHost } from './host.ts'
import type { AskHost, HostClient } from './host-client.ts'

/** The providers: their implementation, their headers, and the user name that git sends with a token. */
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
  /** An installation's token is used with other endpoints than a person's. */
  readonly via: 'app' | 'token'
  readonly privileged: boolean
}

const VISIT_MS = 60_000

/** Opens a connection to a git host for one task. */
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

/** The credential that git sends when it clones, for this host and port only. */
export function cloneCredential({ provider, baseUrl, token, via }: Omit<HostIdentity, 'privileged'>): Credential {
  const { hostname, port } = new URL(baseUrl)
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? 443 : Number(port),
    username: PROVIDERS[provider].username,
    password: token,
    whenRefused:
      via === 'app'
        ? `The app is not installed on this repository, or the repository has another name. Choose the repository in the settings of the installation at ${hostname} (Settings › Applications › Configure), then try again.`
        : `${hostname} does not let the connected git account read the repository: the token has expired, was revoked or has no access to it, or the repository is gone. Check its name there, or connect the account again with a new token.`,
  }
}
