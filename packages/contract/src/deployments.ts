import Type, { type Static } from 'typebox'
import { expects, Id, Nullable, OneOf, Time } from './fields.ts'

export const DEPLOYMENT_STATUSES = ['pending', 'building', 'deploying', 'success', 'failed', 'stopped', 'rolled_back'] as const
export type DeploymentStatus = (typeof DEPLOYMENT_STATUSES)[number]
export const STAGES = ['cloning_repo', 'building_image', 'stopping_old', 'starting_new', 'completed'] as const
export type Stage = (typeof STAGES)[number]
export const TRIGGERS = ['manual', 'webhook', 'rollback', 'api'] as const
export type Trigger = (typeof TRIGGERS)[number]

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

/** Something that would fix a failure. With a link it is done on that page of the app, else by `deployments.applySuggestion`. */
export const Suggestion = Type.Object({ id: Type.String(), title: Type.String(), detail: Type.String(), link: Type.String() })
export type Suggestion = Static<typeof Suggestion>
export const SuggestionChoice = Type.Object({
  deploymentId: Id,
  suggestionId: Type.String({ minLength: 1, maxLength: 500, ...expects('the id of a suggestion') }),
})

export const Deployment = Type.Object({
  id: Id,
  app_id: Id,
  deployment_number: Type.Integer(),
  commit_hash: Type.String(),
  commit_message: Type.String(),
  commit_author: Type.String(),
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
  /** When one deployment is asked for. */
  suggestions: Type.Optional(Type.Array(Suggestion)),
})
export type Deployment = Static<typeof Deployment>

export const NewDeployment = Type.Object({
  appId: Id,
  commit: Type.Optional(
    Type.String({
      pattern: '^[0-9a-f]{7,40}$',
      ...expects('the 40 hexadecimal digits of a commit, or at least the first 7 of one that was deployed before'),
    }),
  ),
})
export const DeploymentOnly = Type.Object({ deploymentId: Id })
