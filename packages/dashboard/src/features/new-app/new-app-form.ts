import { type AppType, type Input, parseDotenv } from '@berth/contract'
import { type ChosenSource, NO_SOURCE } from '../../shared/source-values.ts'

export type NewAppValues = ChosenSource & {
  appType: AppType
  name: string
  templateName: string
  rootDirectory: string
  dockerfilePath: string
  port: string
  env: string
}

export const EMPTY: NewAppValues = {
  ...NO_SOURCE,
  appType: 'web',
  name: '',
  templateName: '',
  rootDirectory: '',
  dockerfilePath: '',
  port: '3000',
  env: '',
}

/** Only the fields that this type of app needs. */
export function newAppInput(projectId: number, values: NewAppValues): Input<'apps.create'> {
  const { appType, name, templateName, rootDirectory, port, env } = values
  const { variables } = parseDotenv(env)
  const envVars = Object.fromEntries(variables.map(({ key, value }) => [key, value]))
  const shared = { projectId, name: name.trim(), appType, envVars }
  if (appType === 'database') return { ...shared, templateName }
  const dockerfilePath = appType === 'compose' ? '' : values.dockerfilePath.trim()
  const place = { rootDirectory: rootDirectory.trim(), dockerfilePath: dockerfilePath === '' ? null : dockerfilePath }
  return { ...shared, ...sourceInput(values), ...place, port: port.trim() === '' ? null : Number(port) }
}

function sourceInput({ via, gitProviderId, gitRepository, gitCloneUrl, gitBranch }: ChosenSource) {
  const branch = { gitBranch: gitBranch.trim() }
  if (via === 'account' && gitRepository !== '') return { gitProviderId, gitRepository, ...branch }
  return { gitProviderId: null, gitCloneUrl: via === 'account' ? '' : gitCloneUrl.trim(), ...branch }
}

/** The default name: the last part of the clone URL. */
export function nameFromUrl(url: string): string {
  const last = url.trim().replace(/\/+$/, '').split(/[/:]/).at(-1) ?? ''
  return last.replace(/\.git$/, '')
}

/** What the form begins with: nothing, or a database that was chosen among the templates. */
export function startOf(templateName: string): NewAppValues {
  return templateName === '' ? EMPTY : { ...EMPTY, appType: 'database', templateName, name: templateName }
}
