import Type, { type Static } from 'typebox'

/** A push in our own format. Stored with the delivery, so that it can be judged again. */
export const Push = Type.Object({
  repositoryId: Type.String(),
  repository: Type.String(),
  defaultBranch: Type.String(),
  ref: Type.String(),
  before: Type.String(),
  after: Type.String(),
  /** When it was pushed, according to the host; empty if unknown. */
  pushedAt: Type.String(),
  isDeleted: Type.Boolean(),
  /** The changed files; null if the host does not list them, or not all. */
  paths: Type.Union([Type.Array(Type.String()), Type.Null()]),
  message: Type.String(),
  author: Type.String(),
})
export type Push = Static<typeof Push>

/** Undefined for tags and anything else that is not a branch. */
export function branchOf({ ref }: Pick<Push, 'ref'>): string | undefined {
  return ref.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : undefined
}
