import Type from 'typebox'
import { AppOnly } from '../applications.ts'
import { EnvChanges, EnvVariable, EnvVariableChange, EnvVariablesReplacement, NewEnvVariable } from '../env-variables.ts'
import { ById, Deleted } from '../ids.ts'
import { operation } from '../operation.ts'

/** The environment variables of an app. */
// biome-ignore format: a summary line and a line of facts per operation, so that the list reads like a table
export const envVariableOperations = {
  'envs.create': operation({
    summary: 'Add an environment variable',
    method: 'POST', path: '/api/apps/envs/create', may: 'member of the app', body: NewEnvVariable, answer: EnvVariable,
  }),
  'envs.list': operation({
    summary: 'List the environment variables of an app',
    method: 'POST', path: '/api/apps/envs/get', may: 'member of the app', body: AppOnly, answer: Type.Array(EnvVariable),
  }),
  'envs.changes': operation({
    summary: 'List the names of variables added, changed or removed since the live release',
    method: 'GET', path: '/api/apps/envs/changes', may: 'member of the app', query: AppOnly, answer: EnvChanges,
  }),
  'envs.replace': operation({
    summary: 'Set all environment variables of an app at once',
    method: 'PUT', path: '/api/apps/envs/replace', may: 'member of the app', body: EnvVariablesReplacement, answer: Type.Array(EnvVariable),
  }),
  'envs.update': operation({
    summary: 'Change an environment variable',
    method: 'PUT', path: '/api/apps/envs/update', may: 'member of the env variable', body: EnvVariableChange, answer: EnvVariable,
  }),
  'envs.delete': operation({
    summary: 'Remove an environment variable',
    method: 'DELETE', path: '/api/apps/envs/delete', may: 'member of the env variable', body: ById, answer: Deleted,
  }),
} as const
