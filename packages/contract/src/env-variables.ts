import Type, { type Static } from 'typebox'
import { EnvKey, EnvValue } from './applications.ts'
import { expects, Id, Nullable, OneOf, Time } from './fields.ts'

export const EnvVariable = Type.Object({
  id: Id,
  appId: Id,
  key: Type.String(),
  value: Type.String(),
  createdAt: Time,
  updatedAt: Time,
})
export type EnvVariable = Static<typeof EnvVariable>

export const ENV_CHANGES = ['added', 'changed', 'removed'] as const

/** How the next deployment would change the environment. Names only: the values of a release are never sent. */
export const EnvChanges = Type.Object({
  /** The live release; null if there is none, in which case nothing counts as changed. */
  deploymentId: Nullable(Id),
  changes: Type.Array(Type.Object({ key: Type.String(), is: OneOf(ENV_CHANGES) })),
  /** References that cannot be resolved, each of which would fail the next deployment. If there are very many, only the first. */
  problems: Type.Array(Type.Object({ key: Type.String(), message: Type.String() })),
})
export type EnvChanges = Static<typeof EnvChanges>

export const NewEnvVariable = Type.Object({ appId: Id, key: EnvKey, value: EnvValue })
export const EnvVariableChange = Type.Object({ id: Id, key: Type.Optional(EnvKey), value: Type.Optional(EnvValue) })
export const VariableList = Type.Array(Type.Object({ key: EnvKey, value: EnvValue }), {
  maxItems: 1000,
  ...expects('a list of {key, value}, each key a variable name and each value a string of at most 64 KiB'),
})
export const EnvVariablesReplacement = Type.Object({ appId: Id, variables: VariableList })
