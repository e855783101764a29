import Type, { type Static } from 'typebox'
import { expects, Id, Time } from './fields.ts'

export const ReposRequest = Type.Object({ installationId: Id })
export const BranchesRequest = Type.Object({
  repoFullName: Type.String({
    minLength: 3,
    maxLength: 255,
    pattern: '^[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)+$',
    ...expects('owner/repository'),
  }),
  installationId: Id,
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
export const Delivery = Type.Object({
  delivery: Type.String(),
  event: Type.String(),
  result: Type.String(),
  reason: Type.String(),
  deployments: Type.Array(Id),
})
