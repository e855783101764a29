import Type, { type Static } from 'typebox'
import { expects, Flag, Id, Nullable, OneOf, Time } from './fields.ts'

export const DEPLOYMENT_STATUSES = ['pending', 'building', 'deploying', 'success', 'failed', 'stopped', 'rolled_back'] as const
export type DeploymentStatus = (typeof DEPLOYMENT_STATUSES)[number]
export const STAGES = ['cloning_repo', 'building_image', 'stopping_old', 'starting_new', 'completed'] as const
export type Stage = (typeof STAGES)[number]
export const TRIGGERS = ['manual', 'webhook', 'rollback', 'api', 'hook', 'poll'] as const
export type Trigger = (typeof TRIGGERS)[number]

/** The steps of a deployment, in order. A rollback begins at `start`, and a template is pulled in `build`. */
export const STEPS = ['source', 'build', 'start', 'health', 'switch'] as const
export type StepName = (typeof STEPS)[number]

export const DeploymentStatus = OneOf(DEPLOYMENT_STATUSES)
/** Empty until the first stage begins. */
export const DeploymentStage = OneOf(['', ...STAGES])
export const Trigger = OneOf(TRIGGERS)

/** What `add` answers: eight fields, no envelope. */
export const QueuedDeployment = Type.Object({
  id: Id,
  app_id: Id,
  commit_hash: Type.String(),
  commit_message: Type.String(),
  status: DeploymentStatus,
  stage: DeploymentStage,
  progress: Type.Integer(),
  created_at: Time,
})
export type QueuedDeployment = Static<typeof QueuedDeployment>

/** A fix for a failure. With a link it is done on that page of the app, otherwise with `deployments.applySuggestion`. */
export const Suggestion = Type.Object({ id: Type.String(), title: Type.String(), detail: Type.String(), link: Type.String() })
export type Suggestion = Static<typeof Suggestion>
export const SuggestionChoice = Type.Object({
  deploymentId: Id,
  suggestionId: Type.String({ minLength: 1, maxLength: 500, ...expects('the id of a suggestion') }),
})

/** A step that has begun. `seconds` is null while it runs. */
export const DeploymentStep = Type.Object({ name: OneOf(STEPS), started_at: Time, seconds: Nullable(Type.Number()) })
export type DeploymentStep = Static<typeof DeploymentStep>

export const Deployment = Type.Object({
  id: Id,
  app_id: Id,
  deployment_number: Type.Integer(),
  commit_hash: Type.String(),
  commit_message: Type.String(),
  commit_author: Type.String(),
  /** The URL of the commit at its host; empty if unknown. */
  commit_url: Type.String(),
  /** The image that was pulled, with its tag and digest; empty for what was built. */
  image_ref: Type.String(),
  status: DeploymentStatus,
  stage: DeploymentStage,
  progress: Type.Integer(),
  duration: Type.Integer(),
  is_active: Type.Boolean(),
  rolled_back_from: Type.Optional(Id),
  can_roll_back: Type.Boolean(),
  error_message: Type.String(),
  trigger: Trigger,
  triggered_by: Nullable(Id),
  started_at: Nullable(Time),
  finished_at: Nullable(Time),
  created_at: Time,
  updated_at: Time,
  /** The steps so far, in order; empty for deployments from before steps were recorded. */
  steps: Type.Optional(Type.Array(DeploymentStep)),
  /** Position in the queue while it waits, starting at 1. */
  queue_position: Type.Optional(Type.Integer()),
  /** Only when a single deployment is requested. */
  suggestions: Type.Optional(Type.Array(Suggestion)),
})
export type Deployment = Static<typeof Deployment>

/** Without a commit: the newest one of the branch. */
export const NewDeployment = Type.Object({
  appId: Id,
  commit: Type.Optional(
    Type.String({
      pattern: '^[0-9a-f]{7,40}$',
      ...expects('the 40 hexadecimal digits of a commit, or at least the first 7 of one that was deployed before'),
    }),
  ),
  /** Runs every build step again. */
  withoutCache: Type.Optional(Flag),
})
export const DeploymentOnly = Type.Object({ deploymentId: Id })

export const DeploymentsQuery = Type.Object({
  appId: Id,
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, lenient: true, ...expects('a whole number between 1 and 500') })),
  before: Type.Optional(Id),
  status: Type.Optional(DeploymentStatus),
  search: Type.Optional(Type.String({ maxLength: 200, ...expects('a part of a commit hash, message or author') })),
  isActive: Type.Optional(Flag),
})
export type DeploymentsQuery = Static<typeof DeploymentsQuery>

export const ComparisonRequest = Type.Object({ deploymentId: Id, withId: Id })
/** From `deploymentId` to `withId`. Values of variables are compared, and never shown. */
export const DeploymentComparison = Type.Object({
  settings: Type.Array(Type.Object({ name: Type.String(), before: Type.String(), after: Type.String() })),
  environment: Type.Array(Type.Object({ key: Type.String(), is: OneOf(['added', 'changed', 'removed']) })),
  /** The deployments whose settings are no longer kept: failed ones, and releases that cannot be rolled back to. */
  notKept: Type.Array(Id),
})
export type DeploymentComparison = Static<typeof DeploymentComparison>
