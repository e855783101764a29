import { type AppProcess, type AppType, limitsOf, type NewApplication } from '@berth/contract'
import { kindOf } from '../../domain/app-kinds.ts'
import { fieldError } from '../../lib/app-error.ts'

type Given = NonNullable<NewApplication['processes']>

/** The processes of an app as they are stored, with nothing of the request but the known fields. */
export function processesFrom(given: Given, app: { readonly app_type: AppType }): AppProcess[] {
  if (given.length > 0 && !kindOf(app).mayHaveReplicas)
    throw fieldError(
      'invalid_request',
      'processes',
      'belong to web and service apps: a compose file has services, and a database has one process',
    )
  const names = given.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) < index)
  if (twice !== undefined) throw fieldError('invalid_request', 'processes', `must have different names, but ${twice} is there twice`)
  // Half a character makes JSON that PostgreSQL refuses to read, whoever asks.
  return given.map(({ name, command = '', replicas = 1, ...limits }) => ({
    name,
    command: command.trim().toWellFormed(),
    replicas,
    ...limitsOf(limits),
  }))
}
