import Type, { type Static } from 'typebox'
import { EnvKey, EnvValue } from './applications.ts'
import { expects, Id, Time } from './fields.ts'

export const EnvVariable = Type.Object({
  id: Id,
  appId: Id,
  key: Type.String(),
  value: Type.String(),
  createdAt: Time,
  updatedAt: Time,
})
export type EnvVariable = Static<typeof EnvVariable>

export const NewEnvVariable = Type.Object({ appId: Id, key: EnvKey, value: EnvValue })
export const EnvVariableChange = Type.Object({ id: Id, key: Type.Optional(EnvKey), value: Type.Optional(EnvValue) })
export const EnvVariablesReplacement = Type.Object({
  appId: Id,
  variables: Type.Array(Type.Object({ key: EnvKey, value: EnvValue }), {
    maxItems: 1000,
    ...expects('a list of {key, value}, each key a variable name and each value a text of at most 64 KiB'),
  }),
})
