import type { AppWebhook, DeliverySummary, GitAccount, GitProvider } from '@berth/contract'
import type { Look } from './status.ts'

export const ACCOUNT_LOOK = {
  ok: { label: 'Connected', tone: 'good' },
  error: { label: 'Not working', tone: 'bad' },
  suspended: { label: 'Suspended', tone: 'warn' },
} as const satisfies Record<GitAccount['status'], Look>

export const DELIVERY_LOOK = {
  deployed: { label: 'Deployed', tone: 'good' },
  ignored: { label: 'Ignored', tone: 'idle' },
  failed: { label: 'Failed', tone: 'bad' },
} as const satisfies Record<DeliverySummary['result'], Look>

export const WEBHOOK_LOOK = {
  none: { label: 'No webhook', tone: 'idle' },
  pending: { label: 'Registering webhook', tone: 'busy' },
  active: { label: 'Webhook active', tone: 'good' },
  failed: { label: 'Webhook failed', tone: 'bad' },
} as const satisfies Record<AppWebhook['status'], Look>

type ProviderWords = {
  label: string
  letters: string
  hue: number
  /** The public host, used when no address is given. */
  home: string
  /** The page of the host that creates a token. */
  tokenPage: string
  permissions: readonly string[]
}

export const PROVIDER_WORDS = {
  github: {
    label: 'GitHub',
    letters: 'Gh',
    hue: 215,
    home: 'https://github.com',
    tokenPage: '/settings/personal-access-tokens/new',
    permissions: ['Contents: read', 'Webhooks: read and write', 'Commit statuses: read and write'],
  },
  gitlab: {
    label: 'GitLab',
    letters: 'Gl',
    hue: 20,
    home: 'https://gitlab.com',
    tokenPage: '/-/user_settings/personal_access_tokens?name=Berth&scopes=api',
    permissions: ['api'],
  },
  gitea: {
    label: 'Gitea',
    letters: 'Gt',
    hue: 100,
    home: 'https://gitea.com',
    tokenPage: '/user/settings/applications',
    permissions: ['repository: read and write', 'user: read'],
  },
  forgejo: {
    label: 'Forgejo',
    letters: 'Fj',
    hue: 345,
    home: 'https://codeberg.org',
    tokenPage: '/user/settings/applications',
    permissions: ['repository: read and write', 'user: read'],
  },
} as const satisfies Record<GitProvider, ProviderWords>

/** `git.example.com/gitlab` of `https://git.example.com/gitlab`. */
export function hostOf(baseUrl: string): string {
  return baseUrl.replace(/^https?:\/\//, '').replace(/\/$/, '')
}

/** Where the host creates a token; undefined while the typed address is not one. */
export function tokenPageOf(provider: GitProvider, typed: string): string | undefined {
  const { home, tokenPage } = PROVIDER_WORDS[provider]
  const base = typed.trim() === '' ? home : typed.trim().replace(/\/$/, '')
  return base.startsWith('https://') && URL.canParse(base) ? `${base}${tokenPage}` : undefined
}
