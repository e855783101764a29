import Type, { type Static } from 'typebox'
import { expects, Flag, Id, Label, Nullable, OneOf, Time } from './fields.ts'

export const GIT_PROVIDERS = ['github', 'gitlab', 'gitea', 'forgejo'] as const
export type GitProvider = (typeof GIT_PROVIDERS)[number]

// no segment is `.` or `..`, which would change the path of a URL
const SEGMENT = '(?!\\.{1,2}(/|$))[A-Za-z0-9_.-]+'
/** `owner/repository`, as hosts name them; GitLab has groups in groups. */
export const REPOSITORY_NAME = `${SEGMENT}(/${SEGMENT})+`

/** A connected account on a git host. Responses never contain its secrets. */
export const GitAccount = Type.Object({
  id: Id,
  provider: OneOf(GIT_PROVIDERS),
  name: Type.String(),
  baseUrl: Type.String(),
  via: OneOf(['app', 'token']),
  /** The project whose members may use it; null for an account of one person. */
  projectId: Nullable(Id),
  /** Who connected it; null if that user was deleted. */
  ownerId: Nullable(Id),
  status: OneOf(['ok', 'error', 'suspended']),
  /** What is wrong, and what to do about it. */
  error: Type.String(),
  /** What works and could be safer, and what to do about it. */
  warning: Type.String(),
  /** How many apps use it. */
  apps: Type.Integer(),
  createdAt: Time,
})
export type GitAccount = Static<typeof GitAccount>

const BaseUrl = Type.Optional(Type.String({ maxLength: 500, ...expects('an https:// address') }))
export const NewGitAccount = Type.Object({
  provider: OneOf(GIT_PROVIDERS),
  token: Type.String({ minLength: 8, maxLength: 1000, pattern: '^[!-~]+$', ...expects('an access token, without spaces') }),
  baseUrl: BaseUrl,
  name: Type.Optional(Label(100)),
  projectId: Type.Optional(Nullable(Id)),
})
export type NewGitAccount = Static<typeof NewGitAccount>

export const GitHubManifestRequest = Type.Object({
  name: Type.Optional(
    Type.String({ minLength: 1, maxLength: 34, pattern: '^[A-Za-z0-9][A-Za-z0-9 ._-]*$', ...expects('1 to 34 letters and digits') }),
  ),
  organization: Type.Optional(
    Type.String({ maxLength: 100, pattern: '^[A-Za-z0-9][A-Za-z0-9_-]*$', ...expects('the name of an organization at the host') }),
  ),
  baseUrl: BaseUrl,
  projectId: Type.Optional(Nullable(Id)),
})
export type GitHubManifestRequest = Static<typeof GitHubManifestRequest>
/** The browser posts `manifest` as a form field to `action`. */
export const GitHubManifest = Type.Object({ action: Type.String(), manifest: Type.String(), state: Type.String() })
export type GitHubManifest = Static<typeof GitHubManifest>
export const ExistingGitHubApp = Type.Object({
  appId: Id,
  privateKey: Type.String({ minLength: 1, maxLength: 20_000, ...expects('the private key of the app, in PEM') }),
  webhookSecret: Type.String({ minLength: 8, maxLength: 500, ...expects('the webhook secret of the app, 8 characters or more') }),
  baseUrl: BaseUrl,
  projectId: Type.Optional(Nullable(Id)),
})
export type ExistingGitHubApp = Static<typeof ExistingGitHubApp>
/** `webhookUrl` must be entered as the webhook URL in the settings of the app. */
export const ConnectedGitHubApp = Type.Object({ webhookUrl: Type.String(), accounts: Type.Array(GitAccount) })
export type ConnectedGitHubApp = Static<typeof ConnectedGitHubApp>

const FromGitHub = Type.Optional(Type.String({ maxLength: 500, ...expects('as GitHub sends it') }))
export const GitHubCreatedQuery = Type.Object({ code: FromGitHub, state: FromGitHub })
export const GitHubInstalledQuery = Type.Object({ installation_id: FromGitHub, setup_action: FromGitHub, state: FromGitHub })

/** The result of the round trip to GitHub: `?github=…` in the dashboard URL that it returns to. */
export const GITHUB_OUTCOMES = {
  connected: 'The GitHub App is installed and connected.',
  requested: 'An owner of the organization must approve the installation at GitHub. The account then appears here.',
  wrong_state: 'This was not started here, took longer than ten minutes, or was already used. Start again with "Create a GitHub App".',
  not_created: 'GitHub did not return the new app. Delete it in the developer settings at GitHub, then create it again.',
  not_installed: 'The app cannot see this installation. Install the app again from its page at GitHub.',
  host_unavailable: 'GitHub did not answer, or limits the number of requests. Try again in a few minutes.',
  too_many: 'There are already too many git accounts here. Disconnect one first.',
} as const
export type GitHubOutcome = keyof typeof GITHUB_OUTCOMES

export const GitAccountOnly = Type.Object({ id: Id })
export const GitAccountDeletion = Type.Object({ id: Id, force: Type.Optional(Flag) })

const Search = Type.Optional(Type.String({ maxLength: 200, ...expects('a part of the name') }))
export const ReposRequest = Type.Object({ installationId: Id, search: Search })
export const BranchesRequest = Type.Object({
  repoFullName: Type.String({
    minLength: 3,
    maxLength: 255,
    pattern: `^${REPOSITORY_NAME}$`,
    ...expects('owner/repository'),
  }),
  installationId: Id,
  search: Search,
})
export const Repository = Type.Object({
  id: Id,
  fullName: Type.String(),
  private: Type.Boolean(),
  defaultBranch: Type.String(),
  cloneUrl: Type.String(),
  updatedAt: Time,
})
export type Repository = Static<typeof Repository>
export const Branch = Type.Object({ name: Type.String(), commit: Type.String(), protected: Type.Boolean() })
export type Branch = Static<typeof Branch>
/** Whose secret signs a delivery: that of a repository's webhook, or that of a GitHub App. */
export const WebhookQuery = Type.Object({
  account: Type.Optional(Id),
  repository: Type.Optional(Type.String({ maxLength: 40, ...expects("the host's own id of a repository") })),
  key: Type.Optional(Type.String({ maxLength: 40, ...expects('the key in the webhook address of a repository') })),
  app: Type.Optional(Type.String({ maxLength: 40, ...expects('the key in the webhook address of a GitHub App') })),
})
const Result = OneOf(['deployed', 'ignored', 'failed'])
export const Delivery = Type.Object({
  delivery: Type.String(),
  event: Type.String(),
  result: Result,
  reason: Type.String(),
  deployments: Type.Array(Id),
})

export const DeliveriesQuery = Type.Object({
  appId: Type.Optional(Id),
  accountId: Type.Optional(Id),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, lenient: true, ...expects('a whole number between 1 and 200') })),
  before: Type.Optional(Id),
})
export const DeliveryOnly = Type.Object({ id: Id })
/** A webhook delivery, and its result. */
export const DeliverySummary = Type.Object({
  id: Id,
  /** The host's own id of the delivery. */
  delivery: Type.String(),
  provider: OneOf(GIT_PROVIDERS),
  event: Type.String(),
  repository: Type.String(),
  branch: Type.String(),
  commit: Type.String(),
  result: Result,
  reason: Type.String(),
  deployments: Type.Array(Id),
  receivedAt: Time,
})
export type DeliverySummary = Static<typeof DeliverySummary>
export const DeliveryDetails = Type.Object({
  ...DeliverySummary.properties,
  /** Without signatures and secrets. */
  headers: Type.Record(Type.String(), Type.String()),
  /** Empty for one of more than 1 MiB, which is not kept. */
  body: Type.String(),
})
export type DeliveryDetails = Static<typeof DeliveryDetails>

/** The webhook that Berth registers at the host of an app's git account. */
export const AppWebhook = Type.Object({
  status: OneOf(['none', 'pending', 'active', 'failed']),
  error: Type.String(),
  /** What works and could be safer. */
  warning: Type.String(),
  url: Type.String(),
})
export type AppWebhook = Static<typeof AppWebhook>
