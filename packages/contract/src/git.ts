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
  /** How many apps use it. */
  apps: Type.Integer(),
  createdAt: Time,
})
export type GitAccount = Static<typeof GitAccount>

export const NewGitAccount = Type.Object({
  provider: OneOf(GIT_PROVIDERS),
  token: Type.String({ minLength: 8, maxLength: 1000, pattern: '^[!-~]+$', ...expects('an access token, without spaces') }),
  baseUrl: Type.Optional(Type.String({ maxLength: 500, ...expects('an https:// address') })),
  name: Type.Optional(Label(100)),
  projectId: Type.Optional(Nullable(Id)),
})
export type NewGitAccount = Static<typeof NewGitAccount>
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
export const WebhookQuery = Type.Object({ account: Type.Optional(Id) })
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
  url: Type.String(),
})
export type AppWebhook = Static<typeof AppWebhook>
