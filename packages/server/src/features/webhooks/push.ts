import Type, { type Static } from 'typebox'

/** What a push was, in our words. It is kept with the delivery, so that it can be judged again. */
export const Push = Type.Object({
  repositoryId: Type.String(),
  repository: Type.String(),
  defaultBranch: Type.String(),
  ref: Type.String(),
  before: Type.String(),
  after: Type.String(),
  /** When it was pushed, as the host says; empty where it does not. */
  pushedAt: Type.String(),
  isDeleted: Type.Boolean(),
  /** The files that changed; null where the host does not say, or not all of it. */
  paths: Type.Union([Type.Array(Type.String()), Type.Null()]),
  message: Type.String(),
  author: Type.String(),
})
export type Push = Static<typeof Push>

/** Undefined for tags and everything else that is no branch. */
export function branchOf({ ref }: Pick<Push, 'ref'>): string | undefined {
  return ref.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : undefined
}
